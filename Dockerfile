FROM python:3.11-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels --constraint constraints.txt '.[postgres]'

FROM python:3.11-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'loopscope[postgres]' \
    && useradd --system --uid 10001 --create-home --home-dir /data loopscope
USER loopscope
WORKDIR /data
VOLUME /data
ENV LOOPSCOPE_DATABASE_URL=sqlite:////data/loopscope.db LOOPSCOPE_LOG=json
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as http; http.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["loopscope", "serve", "--host", "0.0.0.0", "--port", "8000"]
