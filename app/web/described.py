"""What the list of addresses says of them all: their parameters, and how a refusal looks."""

from __future__ import annotations

from typing import Any

Responses = dict[int | str, dict[str, Any]]

_PROBLEMS = {
    "type": "object",
    "required": ["problems"],
    "properties": {"problems": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
}
_WHY = {
    401: "Not for all to see",
    404: "No such flow, scene, step, manifest or session",
    406: "None of the forms that were asked for",
    422: "Something in the address cannot be; each problem says what was found and what is allowed",
    429: "Over a limit; Retry-After says when to come again",
    501: "A form that is not made",
    503: "The database does not answer just now",
}


def refusals(*statuses: int) -> Responses:
    """Of an address for programs: JSON that lists the problems."""
    return {status: {"description": _WHY[status], **as_json(_PROBLEMS)} for status in (*statuses, 503)}


def pages(*statuses: int) -> Responses:
    """Of a page: a page that lists them."""
    return {status: {"description": _WHY[status], "content": {"text/html": {}}} for status in (*statuses, 503)}


def answers(description: str, *media_types: str) -> Responses:
    """What is given when all is well."""
    return {200: {"description": description, "content": {name: {} for name in media_types}}}


def as_json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def asked(told: dict[str, str]) -> list[dict[str, Any]]:
    """Parameters of the query by name, each optional and a text."""
    return [
        {"name": name, "in": "query", "schema": {"type": "string"}, "description": words}
        for name, words in told.items()
    ]


WALK = asked(
    {
        "m": "hash of a pasted manifest",
        "scene": "id of a scene",
        "kubernetes": "a release, such as 1.33",
        "set.NAME": "value of a setting",
        "do": "an intervention, repeatable; the order of do and pick is kept",
        "pick": "STEP-ID!ACTION[@SECONDS], repeatable",
        "words": "other words to tell it in, where the flow has some",
    }
)
LOOKS = asked(
    {
        "view": "which picture",
        "theme": "light or dark",
        "depth": "junior, middle, senior or principal",
        "pod": "a pod to describe: NAME or NAMESPACE/NAME",
    }
)
FRAMING = asked(
    {
        "from": "its first step",
        "to": "its last step",
        "only": "one picture alone",
        "height": "post: tell the page around",
    }
)
