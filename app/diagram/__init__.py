"""Pictures of a step: the map of the cluster, the messages, the timeline, each with a twin in text.

`extract` decides what is shown and is the only part that sees worlds; `layout` decides where, with arithmetic on plain
views; the template writes it down; `static/diagram.css` owns every colour.
"""

from __future__ import annotations

from app.diagram.drawing import (
    chart,
    cluster,
    describe,
    describe_chart,
    describe_cluster,
    describe_messages,
    describe_timeline,
    framed,
    mermaid,
    messages,
    picture,
    thumbnail,
    timeline,
)
from app.diagram.rendering import render_png, render_svg
from app.diagram.shapes import Picture
from app.diagram.views import Pin

__all__ = [
    "Picture",
    "Pin",
    "chart",
    "cluster",
    "describe",
    "describe_chart",
    "describe_cluster",
    "describe_messages",
    "describe_timeline",
    "framed",
    "mermaid",
    "messages",
    "picture",
    "render_png",
    "render_svg",
    "thumbnail",
    "timeline",
]
