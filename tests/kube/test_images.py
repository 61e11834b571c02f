import pytest

from app.kube.images import Image, default_pull_policy, parsed

DIGEST = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param("nginx", Image("nginx", "latest", ""), id="no tag and no digest is latest"),
        pytest.param("nginx:1.27", Image("nginx", "1.27", ""), id="tag"),
        pytest.param("localhost:5000/web", Image("localhost:5000/web", "latest", ""), id="a port is no tag"),
        pytest.param("example.com/team/web:v1", Image("example.com/team/web", "v1", ""), id="host and path"),
        pytest.param(f"nginx@{DIGEST}", Image("nginx", "", DIGEST), id="a digest alone has no tag"),
        pytest.param(f"nginx:latest@{DIGEST}", Image("nginx", "latest", DIGEST), id="tag and digest"),
        pytest.param("FAILED_IMAGE", None, id="upper case is not a name"),
        pytest.param("", None, id="empty"),
        pytest.param("web:", None, id="empty tag"),
        pytest.param("a" * 64, None, id="a bare image id is not a name"),
    ],
)
def test_parsed(reference: str, expected: Image | None) -> None:
    assert parsed(reference) == expected


@pytest.mark.parametrize(
    ("reference", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        (f"nginx:latest@{DIGEST}", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        (f"nginx@{DIGEST}", "IfNotPresent"),
        ("FAILED_IMAGE", "IfNotPresent"),
    ],
)
def test_default_pull_policy(reference: str, policy: str) -> None:
    assert default_pull_policy(reference) == policy
