"""Names that Kubernetes generates: template hashes and the suffixes of generated pods, without chance."""

from __future__ import annotations

import json
from hashlib import sha256

from app.kube.objects import wire
from app.kube.pods import PodTemplateSpec

SUFFIX_LENGTH = 5

# apimachinery pkg/util/rand: no vowels and no 0, 1 or 3, so that no name spells a word.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: PodTemplateSpec) -> str:
    """The `pod-template-hash` of a template: eight to ten characters, as almost all real ones have."""
    text = json.dumps(wire(template), sort_keys=True, separators=(",", ":"))
    return _safe_encoded(str(_fnv1a_32(text.encode())).zfill(8))


def generated_suffix(owner_uid: str, count: int) -> str:
    """The last five characters of the name of an owner's object number `count`."""
    digest = sha256(f"{owner_uid}/{count}".encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:SUFFIX_LENGTH])


def _fnv1a_32(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def _safe_encoded(text: str) -> str:
    """As apimachinery's rand.SafeEncodeString."""
    return "".join(_ALPHABET[ord(character) % len(_ALPHABET)] for character in text)
