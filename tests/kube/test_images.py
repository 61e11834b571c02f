import pytest

from app.kube.images import Image, default_pull_policy, fault, parsed

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


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("FAILED_IMAGE", "invalid reference format: repository name (library/FAILED_IMAGE) must be lowercase"),
        ("registry.example/Team/app:1", "invalid reference format: repository name (Team/app) must be lowercase"),
        ("team/App", "invalid reference format: repository name (team/App) must be lowercase"),
        ("app:1:2", "invalid reference format"),
        ("a" * 64, f"invalid repository name ({'a' * 64}), cannot specify 64-byte hexadecimal strings"),
    ],
)
def test_a_reference_that_is_none(reference: str, text: str) -> None:
    assert fault(reference) == f'couldn\'t parse image name "{reference}": {text}'
