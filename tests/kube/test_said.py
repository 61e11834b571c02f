"""Every field of every manifest of the corpus is read, or it is said that it is not: nothing is dropped in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from app.errors import BadInput
from app.kube.manifests import judged
from app.kube.stringmap import StringMap
from app.kube.yaml_values import ListNode, MapNode, Node, ScalarNode, written
from app.kube.yaml_values import Path as Steps
from tests.corpus import DATA, FILES, text_of

UNREAD = object()

# Fields in which nothing is lost: what only a server writes, what repeats another field, and what may be secret.
SILENT = re.compile(
    r"""(apiVersion|kind)$
    | status\b
    | metadata\.(creationTimestamp|generation|managedFields|resourceVersion|selfLink|uid)\b
    | spec\.(jobTemplate\.(spec\.template\.)?|template\.)metadata\.creationTimestamp
    | .*spec\.serviceAccount$ | spec\.clusterIPs | spec\.podCIDRs
    | metadata\.annotations\[kubectl\.kubernetes\.io/last-applied-configuration\]
    """,
    re.VERBOSE,
)
IN_NODES = re.compile(
    r"status\.(capacity|allocatable|addresses|nodeInfo\.(kubeletVersion|kernelVersion|osImage|containerRuntimeVersion))"
)
HELD = {
    "Secret": re.compile(r"(data|stringData)\b|metadata\.annotations"),
    "ConfigMap": re.compile(r"(data|binaryData)\b"),
    # The server's own, by the Job's uid.
    "Job": re.compile(r"spec\.selector\.matchLabels\[batch\.kubernetes\.io/controller-uid\]"),
}
# Values that a server gives to fields that are left out.
DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "sessionAffinity": "None",
    "ipFamilies": "IPv4",
    "ipFamilyPolicy": "SingleStack",
    "allocateLoadBalancerNodePorts": True,
    "completionMode": "NonIndexed",
    "timeZone": "Etc/UTC",
    "whenDeleted": "Retain",
    "whenScaled": "Retain",
    "manualSelector": False,
}


def leaves(node: Node, path: Steps = ()) -> Iterator[tuple[Steps, ScalarNode]]:
    """Every value that is written, with its path."""
    match node:
        case MapNode():
            for key, value in node.entries.items():
                yield from leaves(value, (*path, key))
        case ListNode():
            for at, value in enumerate(node.items):
                yield from leaves(value, (*path, at))
        case ScalarNode() if node.value is not None:
            yield path, node


def at(value: Any, path: Steps) -> Any:
    """What was read at a path."""
    for step in path:
        if isinstance(value, StringMap) and isinstance(step, str):
            found = value.get(step)
            value = UNREAD if found is None else found
        elif isinstance(value, tuple) and isinstance(step, int) and step < len(value):
            value = value[step]
        elif isinstance(value, Struct) and isinstance(step, str):
            value = getattr(value, step, UNREAD)
        else:
            return UNREAD
    return value


def last_name(path: Steps) -> str:
    return next(step for step in reversed(path) if isinstance(step, str))


def same(read: Any, given: ScalarNode) -> bool:
    """Whether a value was read as it is written; quantities keep their spelling, times become milliseconds."""
    times = isinstance(given.value, str) and given.value.endswith("Z") and isinstance(read, int)
    return times or read == given.value or read in (given.text, str(given.value))


def silently_dropped(file: Path) -> list[str]:
    found = judged({file.name: text_of(file)})
    said: dict[str, list[str]] = {}
    for name, field in found.not_modelled:
        said.setdefault(name, []).append(field)
    dropped = []
    for obj in found.objects:
        told = tuple(said.get(str(obj.ref), ()))
        for path, given in leaves(found.members[obj.ref].node):
            where = written(path)
            covered = any(where == row or where.startswith((f"{row}.", f"{row}[")) for row in told)
            # What a Node is like stands in its status, and is read.
            silent = SILENT.match(where) and not (obj.kind == "Node" and IN_NODES.match(where))
            if covered or silent or DEFAULTS.get(last_name(path)) == given.value:
                continue
            if obj.kind in HELD and HELD[obj.kind].match(where):
                continue
            if not same(at(obj, path), given):
                dropped.append(f"{obj.ref}: {where}: {given.text}")
    return dropped


@pytest.mark.parametrize("file", FILES, ids=[str(path.relative_to(DATA)) for path in FILES])
def test_what_is_not_read_is_said(file: Path) -> None:
    assert silently_dropped(file) == []


def test_kinds_that_are_not_read_are_said() -> None:
    """As often as a document or an item of a list names one, of the corpus as a whole."""
    named: set[str] = set()
    told: set[str] = set()
    for file in FILES:
        try:
            found = judged({file.name: text_of(file)})
        except BadInput:
            continue
        told |= {name for name, path in found.not_modelled if not path}
        kinds = re.findall(r"^kind: *[\"']?(\w+)", text_of(file), re.MULTILINE)
        read = {obj.kind.lower() for obj in found.objects}
        whole = {name.partition("/")[0] for name, path in found.not_modelled if not path}
        lists = {kind.lower() for kind in kinds if kind.endswith("List")}
        named |= {f"{file.name}: {kind}" for kind in kinds if kind.lower() not in read | whole | lists}
    assert named == set()
    assert len(told) >= 40
