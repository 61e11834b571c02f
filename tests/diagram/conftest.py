"""Walks that the pictures' tests share."""

from __future__ import annotations

import pytest

from app.catalog.flow import Flow
from app.sim.walk import Walk
from app.story.play import Play, play, request


@pytest.fixture(scope="session")
def default() -> Play:
    """The walk that a reader sees first."""
    return play(request("termination"))


@pytest.fixture(scope="session")
def walk(default: Play) -> Walk:
    return default.walk


@pytest.fixture(scope="session")
def flow(default: Play) -> Flow:
    return default.flow
