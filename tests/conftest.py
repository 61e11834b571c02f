"""What all tests share: one flag, databases, and a Hypothesis that draws the same examples every time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from app.web.limits import RATES
from tests.databases import Cluster, found_programs

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the traces in tests/golden, to be read by a person"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session", autouse=True)
def unhurried() -> Iterator[None]:
    """Tests are one client, and a hasty one: no rate holds them up but where one is what a test is about."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in RATES.values():
            patch.setenv(variable.name, "off")
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL that all tests of this run share."""
    cluster = Cluster(found_programs())
    yield cluster
    cluster.stop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.databases(...)` names the kinds that `database_url` is to be in turn."""
    asked = metafunc.definition.get_closest_marker("databases")
    if asked is not None and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", asked.args, indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A new database; in a file, unless the test is marked with other kinds."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite:///{tmp_path}/loopscope.db"
        return
    cluster: Cluster = request.getfixturevalue("postgres")
    with cluster.database() as url:
        yield url


@pytest.fixture
def empty_url(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[str]:
    """Another database of the same kind, without any table."""
    if database_url.startswith("sqlite"):
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    cluster: Cluster = request.getfixturevalue("postgres")
    with cluster.bare() as url:
        yield url
