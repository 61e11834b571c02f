"""Words of readers (manifests, notes, titles, questions) are words in every form: none becomes markup or a command."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import markdown
import pypdf
import pytest
from markdown_it import MarkdownIt

from app.export.asked import FORMS, Remark, asked
from app.export.forms import exported
from app.export.reporting import FORMS as REPORTS
from app.export.reporting import reported
from app.export.review import Subject
from app.story.play import Play, play, request

EVIL = (
    '<script>alert(1)</script><img src=x onerror=alert(1)> ]]> --> "onload="alert(1) #read("/etc/hostname") '
    '#import "x.typ" [click](javascript:alert(1)) ![x](https://evil.test/x.png) </style></svg> {{ 7 * 7 }} '
    "{: onclick=alert(1) } <javascript:alert(1)> &lt;b&gt; $x$ `code` ``` | cell |"
)
LINES = f"{EVIL}\n\n= heading\n# heading\n- item\n1. item\n```\n{EVIL}\n```\n+ {EVIL}"
SECRET = "hunter2-not-to-be-seen"  # noqa: S105 - that is the point
MANIFEST = f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, labels: {{app: web}}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
        - name: web
          image: |-
            {EVIL}
---
apiVersion: v1
kind: Secret
metadata: {{name: token}}
stringData: {{password: {SECRET}}}
"""
OURS = "https://loops.test/"


@pytest.fixture(scope="module")
def played() -> Play:
    return play(request("sandbox", manifest=MANIFEST))


def wish(played: Play, form: str) -> Iterator[bytes]:
    """The form's file, or every file in it."""
    step = played.steps[2].id
    remarks = (Remark(step, EVIL, LINES), Remark(step, EVIL, LINES, decision=True), Remark(EVIL, EVIL, EVIL))
    wanted = asked(
        played,
        form if form in FORMS else "md",
        last="12",
        address=f"{OURS}f/sandbox/{{step}}",
        pictures=f"{OURS}f/sandbox/{{step}}.svg?view={{view}}",
        remarks=remarks,
    )
    if form in FORMS:
        body = exported(played, wanted).body
    else:
        subject = Subject(title=EVIL, question=LINES, against=play(request("sandbox")))
        body = reported(form.removeprefix("report-"), played, wanted, subject).body
    if form == "folder":
        archive = zipfile.ZipFile(io.BytesIO(body))
        yield from (archive.read(name) for name in archive.namelist())
    else:
        yield body


EVERY = [*FORMS, *(f"report-{form}" for form in REPORTS)]
DRAWN = {"svg", "title", "desc", "style", "defs", "g", "rect", "path", "text", "use"}


class Harmless(HTMLParser):
    """Gathers everything in a page that could run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts = 0
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag in {"iframe", "object", "embed", "base", "link", "form"}:
            self.faults.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("srcdoc", "style"):
                self.faults.append(f"{tag} {name}={value}")
            inside = not (value or "").partition("/")[0].count(":")
            if name in ("href", "src", "action") and not inside and not (value or "").startswith(OURS):
                self.faults.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("form", EVERY)
def test_no_value_of_a_secret_is_in_any_form(played: Play, form: str) -> None:
    assert all(SECRET.encode() not in body for body in wish(played, form))


@pytest.mark.parametrize("form", [form for form in EVERY if form in ("html", "folder", "report-html")])
def test_a_page_runs_only_its_own_script(played: Play, form: str) -> None:
    for body in wish(played, form):
        text = body.decode()
        if text.startswith("<!doctype html>"):
            found = Harmless(text)
            assert found.faults == []
            assert found.scripts == (1 if form == "html" else 0)


@pytest.mark.parametrize("form", ["svg", "sheet", "animated", "folder"])
def test_a_drawing_draws_only(played: Play, form: str) -> None:
    for body in wish(played, form):
        if b"<svg xmlns" not in body[:200]:
            continue
        for element in ET.fromstring(body).iter():  # noqa: S314 - our own text
            assert element.tag.rpartition("}")[2] in DRAWN
            assert not [name for name in element.attrib if name.startswith("on")]
            assert element.get("href", "#").startswith("#")


@pytest.mark.parametrize("form", ["md", "report-md", "folder"])
@pytest.mark.parametrize("reader", ["commonmark", "gfm-like", "python-markdown"])
def test_markdown_shows_words_as_words(played: Play, form: str, reader: str) -> None:
    """Also in readers that let HTML through, as GitHub's and MkDocs' do."""
    for body in wish(played, form):
        text = body.decode()
        if "\n## " not in text or text.startswith("<"):
            continue
        if reader == "python-markdown":
            page = markdown.markdown(text, extensions=["extra", "attr_list", "tables"])
        else:
            page = MarkdownIt(reader, {"html": True, "linkify": False}).render(text)
        found = Harmless(page)
        assert found.scripts == 0
        assert found.faults == []
        assert "<h1" not in page.partition("</h1>")[2], "a line of a note is no heading"
        if form != "folder":
            assert "alert(1)" in page


def test_a_pdf_has_the_words_and_nothing_to_run(played: Play) -> None:
    (body,) = wish(played, "report-pdf")
    reader = pypdf.PdfReader(io.BytesIO(body))
    text = " ".join(page.extract_text() for page in reader.pages)
    squeezed = "".join(text.split())
    assert '#read("/etc/hostname")' in squeezed
    assert "<script>alert(1)</script>" in squeezed
    assert "[click](javascript:alert(1))" in squeezed
    for page in reader.pages:
        for note in page.get("/Annots") or []:
            assert note.get_object()["/A"]["/URI"].startswith(OURS)
    assert not [name for name in (b"/JavaScript", b"/Launch", b"/EmbeddedFile") if name in body]
