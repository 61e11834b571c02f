"""Image references: their parts, and the pull policy that follows from them."""

from __future__ import annotations

import re
from typing import NamedTuple

# The grammar of distribution/reference: a domain (which may be left out), a lower-case path, a tag, a digest.
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_DOMAIN}/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)
_BARE_ID = re.compile("[a-f0-9]{64}")


class Image(NamedTuple):
    name: str
    tag: str
    digest: str


def parsed(reference: str) -> Image | None:
    """The parts of an image reference, or None where the kubelet would say InvalidImageName."""
    match = _REFERENCE.fullmatch(reference)
    if match is None or _BARE_ID.fullmatch(reference):
        return None
    tag, digest = match["tag"] or "", match["digest"] or ""
    return Image(match["name"], tag if tag or digest else "latest", digest)


def default_pull_policy(reference: str) -> str:
    """What the API server fills in at creation (SetDefaults_Container); later changes of the image keep it."""
    image = parsed(reference)
    return "Always" if image is not None and image.tag == "latest" else "IfNotPresent"


def fault(reference: str) -> str:
    """What the kubelet's parser says of a reference that is none (ParseNormalizedNamed)."""
    first, slash, rest = reference.partition("/")
    domain = bool(slash) and ("." in first or ":" in first or first == "localhost")
    remainder = rest if domain else reference if slash else f"library/{reference}"
    path = remainder.partition(":")[0]
    text = "invalid reference format"
    if _BARE_ID.fullmatch(reference):
        text = f"invalid repository name ({reference}), cannot specify 64-byte hexadecimal strings"
    elif path.lower() != path:
        text += f": repository name ({path}) must be lowercase"
    return f'couldn\'t parse image name "{reference}": {text}'
