"""Followers over real connections to real servers: all land on every step, and a killed server loses none."""

import pytest

from tests import loops_apart
from tests.followers import meeting


@pytest.mark.databases("sqlite", "postgresql")
def test_twenty_followers_of_servers_that_are_killed(database_url: str) -> None:
    # A file has one server; a change through another process that shares it is in tests/web/test_following.py.
    servers = 1 if database_url.startswith("sqlite") else 2
    found = loops_apart.run(meeting(database_url, followers=20, steps=4, servers=servers))
    assert len(found.spent) == 80
    assert found.back == 20
    # The bar of the bench is half a second for 200; here the machine does much else at the same time.
    assert found.percentile(0.95) < 5_000
