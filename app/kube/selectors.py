"""Label selectors as they are written on a command line: `app=web,tier!=cache,canary`."""

from __future__ import annotations

import re

from app.kube.meta import LabelSelector, LabelSelectorRequirement

ALLOWED = "KEY=VALUE, KEY!=VALUE, KEY, !KEY, several with commas between"

_PART = re.compile(r"(?P<no>!?)(?P<key>[A-Za-z0-9][-A-Za-z0-9_./]*)(?:(?P<op>==|=|!=)(?P<value>[-A-Za-z0-9_.]*))?")


def parse(text: str) -> LabelSelector:
    """ValueError says what is allowed. Not modelled: `in (...)` and `notin (...)`."""
    rows = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or (match["no"] and match["op"]):
            raise ValueError(f'found "{text}"; allowed: {ALLOWED}')
        operator = {"=": "In", "==": "In", "!=": "NotIn"}.get(match["op"] or "")
        if operator is None:
            rows.append(LabelSelectorRequirement(match["key"], "DoesNotExist" if match["no"] else "Exists"))
        else:
            rows.append(LabelSelectorRequirement(match["key"], operator, (match["value"],)))
    return LabelSelector(matchExpressions=tuple(rows))
