"""What a template reads is what its page's model says, no more and no less, and every field is told."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from types import ModuleType

import jinja2.meta
import pytest
from jinja2 import Environment

from app.diagram.rendering import environment
from app.web import (
    bring_page,
    embed_dialog,
    embed_page,
    export_page,
    inspect_page,
    many_walks,
    overlay_page,
    pages,
    player_page,
    player_parts,
    ranking_parts,
    report_page,
    session_parts,
    stage_pages,
)
from app.web.rendering import Page

SHARED = {"asset", "vendored", "version"}
MODELS: list[type[Page]] = [
    model
    for module in (
        pages,
        bring_page,
        many_walks,
        player_page,
        inspect_page,
        overlay_page,
        embed_page,
        embed_dialog,
        export_page,
        report_page,
        stage_pages,
    )
    for model in vars(module).values()
    if inspect.isclass(model) and issubclass(model, Page) and model.__module__ == module.__name__
]


def read_by(templates: Environment, name: str, seen: set[str]) -> set[str]:
    """Names that a template and all that it extends, includes and imports look up."""
    if name in seen:
        return set()
    seen.add(name)
    assert templates.loader is not None
    tree = templates.parse(templates.loader.get_source(templates, name)[0])
    found = set(jinja2.meta.find_undeclared_variables(tree))
    for other in jinja2.meta.find_referenced_templates(tree):
        assert other is not None, f"{name} names a template by a variable"
        found |= read_by(templates, other, seen)
    return found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_template_reads_what_its_model_says(model: type[Page]) -> None:
    told = {field.name for field in fields(model)}  # type: ignore[arg-type]
    assert read_by(environment(), model.template, set()) - SHARED == told


@pytest.mark.parametrize("model", [model for model in MODELS if model.part], ids=lambda model: model.__name__)
def test_the_part_is_included_by_the_page(model: type[Page]) -> None:
    seen: set[str] = set()
    read_by(environment(), model.template, seen)
    assert model.part in seen


def undocumented(module: ModuleType) -> Iterator[str]:
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for row, after in zip(node.body, [*node.body[1:], None], strict=True):
            if not isinstance(row, ast.AnnAssign) or "ClassVar" in ast.unparse(row.annotation):
                continue
            told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not told:
                yield f"{node.name}.{ast.unparse(row.target)}"


@pytest.mark.parametrize(
    "module",
    [
        pages,
        many_walks,
        player_page,
        player_parts,
        ranking_parts,
        inspect_page,
        overlay_page,
        embed_page,
        embed_dialog,
        export_page,
        report_page,
        session_parts,
        stage_pages,
    ],
    ids=lambda module: module.__name__,
)
def test_every_field_is_told(module: ModuleType) -> None:
    assert list(undocumented(module)) == []


def test_templates_hold_no_inline_script_or_style() -> None:
    templates = environment()
    assert templates.loader is not None
    for name in templates.list_templates(extensions=["html"]):
        if name.startswith("export/"):
            # Pages that stand alone carry their style and script, and say by their digests that they run no other.
            continue
        source = templates.loader.get_source(templates, name)[0].lower()
        assert " style=" not in source, name
        assert "<style" not in source, name
        assert "hx-on" not in source, name
        assert " on" not in "".join(part.partition("=")[0] for part in source.split("<button")[1:]), name
        assert all("src=" in part.partition(">")[0] for part in source.split("<script")[1:]), name
