"""What `loopscope flows --json` says of a flow; its keys are a promise to other tools."""

from __future__ import annotations

from typing import Any

from app.catalog.flow import Flow, Setting


def listing(flow: Flow) -> dict[str, Any]:
    """One flow."""
    return {
        "id": flow.id,
        "title": flow.title,
        "chapter": flow.chapter,
        "about": flow.about,
        "settings": [_setting(row) for row in flow.settings],
        "scenes": [row.id for row in flow.scenes],
        "symptoms": [{"id": row.id, "title": row.title, "scene": row.scene} for row in flow.symptoms],
        "verdicts": [row.id for row in flow.verdicts],
        "words": {name: row.label for name, row in flow.wordings.items()},
    }


def _setting(row: Setting) -> dict[str, Any]:
    """`range` and `choices` are null where a setting's type has none."""
    return {
        "name": row.name,
        "type": row.type,
        "unit": row.unit,
        "default": row.default,
        "range": [row.least or None, row.most or None] if row.least or row.most else None,
        "choices": list(row.choices) or (["false", "true"] if row.type == "switch" else None),
    }
