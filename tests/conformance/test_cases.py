import pytest

from app.kube.pods import Pod
from tests.conformance.building import build, milliseconds
from tests.conformance.cases import Case, Given, actual, differences


def doubled(given: Given) -> dict[str, int]:
    return {"result": 2 * given.take("value")}


def case(values: dict[str, object], expect: dict[str, object]) -> Case:
    return Case("file", "area", "id", values, expect)


def test_a_case_is_one_input_or_rows_of_them() -> None:
    assert actual(doubled, case({"value": 2, "note": "words"}, {"result": 4})) == {"result": 4}
    rows = case({"rows": [{"value": 1}, {"value": 2}]}, {"rows": [{"result": 2}, {"result": 4}]})
    assert actual(doubled, rows) == {"rows": [{"result": 2}, {"result": 4}]}


def test_unknown_input_keys_are_failures() -> None:
    with pytest.raises(AssertionError, match=r"does not know input keys \['other'\]"):
        actual(doubled, case({"value": 2, "other": 1}, {}))


@pytest.mark.parametrize(
    ("expected", "found", "lines"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": 1, "note": "words"}, {"a": 1}, []),
        ({"a": 1}, {}, ["a: the adapter gives no such value"]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["a.b[1]: expected 2, got 3"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: expected [1], got [1, 2]"]),
        ({"a": True}, {"a": 1}, ["a: expected True, got 1"]),
        ({"a": 25}, {"a": 25.0}, []),
        ({"messagePrefix": "0/2"}, {"message": "0/2 nodes"}, []),
        ({"messagePrefix": "1/2"}, {"message": "0/2"}, ["messagePrefix: '0/2' does not start with '1/2'"]),
    ],
)
def test_differences(expected: object, found: object, lines: list[str]) -> None:
    assert differences(expected, found) == lines


def test_objects_are_built_from_json() -> None:
    pod = build(
        Pod,
        {
            "metadata": {"name": "web", "deletionTimestamp": "2026-01-01T12:00:05Z", "labels": {"a": "b"}},
            "spec": {"containers": [{}]},
            "status": {"podIPs": [{"ip": "10.0.0.1"}], "containerStatuses": [{"state": {"running": {}}}]},
        },
    )
    assert pod.metadata.deletionTimestamp == milliseconds("2026-01-01T12:00:05Z") == 5_000
    assert pod.metadata.labels.get("a") == "b"
    assert pod.status.podIP == "10.0.0.1"
    assert pod.status.containerStatuses[0].state.running is not None


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"metadata": {"nmae": "web"}}, "the field .metadata.nmae of ObjectMeta"),
        ({"metadata": {"name": 5}}, "5 at .metadata.name"),
    ],
)
def test_objects_with_unknown_fields_are_failures(values: dict[str, object], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        build(Pod, values)
