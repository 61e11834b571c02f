"""Resource quantities: `250m`, `1`, `128Mi`, `1e3`, read exactly as apimachinery's resource.Quantity does."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil

from app.kube.quoting import shown

ALLOWED = "a quantity such as 250m, 1, 0.5, 128Mi or 1Gi"

_FORM = re.compile(
    r"(?P<sign>[+-]?)(?P<number>[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+)|(?P<suffix>[numkMGTPE]|[KMGTPE]i)?)",
    re.ASCII,
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MOST = 2**63 - 1
_LEAST = Fraction(1, 10**9)


@lru_cache(maxsize=4096)
def parse(text: str) -> Fraction:
    """The exact number; ValueError says what was found and what is allowed."""
    match = _FORM.fullmatch(text) if len(text) <= 64 else None
    if match is None:
        raise ValueError(f"found {shown(text)}; allowed: {ALLOWED}{likely(text)}")
    suffix = match["suffix"] or ""
    # Beyond 10^±60 every number is rounded or capped in any case, and writing it out would fill the memory.
    exponent = max(-60, min(60, int(match["exponent"]))) if match["exponent"] else _DECIMAL.get(suffix, 0)
    size = Fraction(match["number"]) * Fraction(10) ** exponent * 2 ** _BINARY.get(suffix, 0)
    # ParseQuantity rounds up to a billionth, away from zero, and caps at what 64 bits hold.
    size = min(Fraction(ceil(size / _LEAST)) * _LEAST, Fraction(_MOST))
    return -size if match["sign"] == "-" else size


def value(text: str) -> int:
    """Whole units, rounded up: bytes of memory (Quantity.Value)."""
    return ceil(parse(text))


def milli_value(text: str) -> int:
    """Thousandths, rounded up: millicores of CPU (Quantity.MilliValue)."""
    return ceil(parse(text) * 1000)


def likely(text: str) -> str:
    """The end of an error's sentence for a unit that is not Kubernetes', or nothing."""
    number = re.match(r"[0-9.]+", text)
    unit = text[number.end() :].strip() if number else ""
    meant = {
        "KB": "k", "MB": "M", "GB": "G", "TB": "T", "KiB": "Ki", "MiB": "Mi", "GiB": "Gi", "TiB": "Ti",
        "mb": "M", "gb": "G", "mi": "Mi", "gi": "Gi", "ki": "Ki", "K": "k", "g": "G",
    }.get(unit, unit if unit and unit in _DECIMAL | _BINARY else None)  # fmt: skip
    return f'; did you mean "{number[0]}{meant}"?' if number and meant and len(text) <= 40 else ""


def canonical(text: str) -> str:
    """As Kubernetes prints it: without a fraction, in the largest unit that leaves none (`1.5Gi` is 1536Mi)."""
    amount = parse(text)
    if text[-1:] == "i" and amount.denominator == 1:
        return in_bytes(int(amount))
    return _decimal(amount)


def in_bytes(amount: int) -> str:
    """A number of bytes in the binary units of Kubernetes' own measurements: 1536Mi, 463720Ki, 1000."""
    if abs(amount) < 1024:
        return _decimal(Fraction(amount))
    for unit, power in reversed(_BINARY.items()):
        if amount % 2**power == 0:
            return f"{amount // 2**power}{unit}"
    return str(amount)


def _decimal(amount: Fraction) -> str:
    if not amount:
        return "0"
    for unit, power in reversed(_DECIMAL.items()):
        scaled = amount / Fraction(10) ** power
        if scaled.denominator == 1:
            return f"{scaled}{unit}"
    return f"{ceil(amount / _LEAST)}n"
