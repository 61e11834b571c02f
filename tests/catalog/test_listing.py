from app.catalog.flow import Flow
from app.catalog.listing import listing


def test_the_keys_are_a_promise(race: Flow) -> None:
    found = listing(race)
    assert list(found) == ["id", "title", "chapter", "about", "settings", "scenes", "symptoms", "verdicts", "words"]
    assert found["scenes"] == ["hook", "dead"]
    assert found["symptoms"][1] == {"id": "stuck", "title": "Terminating forever", "scene": "dead"}
    assert found["verdicts"] == ["requests-failed"]
    assert found["settings"][0] == {
        "name": "grace",
        "type": "duration",
        "unit": "seconds",
        "default": "30s",
        "range": [None, "10m"],
        "choices": None,
    }
    assert found["settings"][2]["choices"] == ["exit", "drain=10s", "ignore"]
    assert found["settings"][5]["choices"] == ["false", "true"]
