"""The import table of the layout, names that say nothing, and the length of files."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parent.parent / "app"
MODULES = sorted(path.relative_to(APP) for path in APP.rglob("*.py"))

# What each layer may import besides itself. Inside diagram/ only extract sees the rest.
LAYERS: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "configuration": set(),
    "paths": {"configuration"},
    "kube": set(),
    "sim": {"kube"},
    "loops": {"sim", "kube"},
    "catalog": {"loops", "sim", "kube"},
    "inspect": {"loops", "sim", "kube"},
    "story": {"catalog", "sim", "kube"},
    "diagram": set(),
    "diagram/extract": {"story", "catalog", "sim", "kube"},
    "export": {"diagram", "story", "inspect", "catalog", "sim", "kube"},
    "store": {"configuration"},
    "web": {"configuration", "export", "diagram", "story", "inspect", "catalog", "loops", "sim", "kube", "store"},
    "links": {"web", "diagram", "story", "catalog", "sim", "kube", "store"},
    "commands": {
        "configuration",
        "links",
        "web",
        "export",
        "diagram",
        "story",
        "inspect",
        "catalog",
        "loops",
        "sim",
        "kube",
        "store",
    },
    "cli": {"commands"},
}
# What anybody may import: the version, the tree of errors, and where files lie.
FREE = {"app", "app.errors", "app.paths"}

# Same walk, same bytes: whatever is computed knows no clock, no chance, no server and no database.
COMPUTED = {"kube", "sim", "loops", "catalog", "inspect", "story", "diagram", "export"}
KEPT_OUT = {"fastapi", "random", "secrets", "sqlalchemy", "sqlmodel", "starlette", "time", "uuid", "uvicorn"}

SAY_NOTHING = {"base", "common", "handler", "handlers", "helper", "helpers", "manager", "misc", "util", "utils"}


def layer_of(module: Path) -> str:
    names = [part.removesuffix(".py") for part in module.parts[:2]]
    return "/".join(names) if "/".join(names) in LAYERS else names[0]


def is_module(name: str) -> bool:
    return name in LAYERS or (APP / name).is_dir() or (APP / f"{name}.py").is_file()


def imports_of(module: Path, text: str) -> Iterator[str]:
    """Each imported module by its full dotted name, also where it is only imported for types."""
    package = ("app", *module.parts[:-1])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join((*above, *([node.module] if node.module else [])))
            inside = [name.name for name in node.names if source == "app" and is_module(name.name)]
            yield from (f"app.{name}" for name in inside)
            if len(inside) < len(node.names):
                yield source


def forbidden_imports(module: Path, text: str) -> set[str]:
    layer = layer_of(module)
    top = layer.split("/")[0]
    names = set(imports_of(module, text))
    ours = {name for name in names if name.split(".")[0] == "app"} - FREE
    upwards = {name for name in ours if name.split(".")[1] not in LAYERS[layer] | {top}}
    return upwards | ({name for name in names if name.split(".")[0] in KEPT_OUT} if top in COMPUTED else set())


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_imports_only_what_lies_below_it(module: Path) -> None:
    assert forbidden_imports(module, (APP / module).read_text()) == set()


@pytest.mark.parametrize(
    ("module", "line", "forbidden"),
    [
        ("kube/phase.py", "from app.sim.world import World", {"app.sim.world"}),
        ("kube/phase.py", "from app.kube.objects import Pod", set()),
        ("kube/phase.py", "from app.errors import Problem", set()),
        ("sim/engine.py", "from app import kube, __version__", set()),
        ("sim/engine.py", "from app import loops", {"app.loops"}),
        ("sim/engine.py", "import time", {"time"}),
        ("sim/engine.py", "from ..loops import LOOPS", {"app.loops"}),
        ("story/words.py", "from app.loops.kubectl import LOOP", {"app.loops.kubectl"}),
        ("diagram/layout.py", "from app.sim.world import World", {"app.sim.world"}),
        ("diagram/extract.py", "from app.sim.world import World", set()),
        ("store/tables.py", "import sqlmodel, app.kube", {"app.kube"}),
        ("web/routes/flows.py", "from app.cli import main", {"app.cli"}),
    ],
)
def test_the_table_refuses(module: str, line: str, forbidden: set[str]) -> None:
    assert forbidden_imports(Path(module), line) == forbidden


def test_one_module_knows_the_library_of_persistent_maps() -> None:
    knowing = [str(module) for module in MODULES if "immutables" in imports_of(module, (APP / module).read_text())]
    assert len(knowing) <= 1, knowing


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_name_says_what_is_inside(module: Path) -> None:
    words = {word for part in module.with_suffix("").parts for word in part.split("_")}
    assert words & SAY_NOTHING == set()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_file_can_be_read_in_one_sitting(module: Path) -> None:
    assert len((APP / module).read_text().splitlines()) <= 350
