"""What a container's environment asks for, and the kubelet's words when it is not there."""

import pytest

from app.kube.environment import missing
from app.kube.meta import Ref
from app.kube.pods import Container, EnvFromSource, EnvSource, EnvVar, EnvVarSource, KeySelector

HELD = {Ref("ConfigMap", "shop", "flags"): frozenset({"dark"}), Ref("Secret", "shop", "db"): frozenset({"user"})}


def variable(source: EnvVarSource) -> tuple[EnvVar, ...]:
    return (EnvVar("A", "plain"), EnvVar("B", valueFrom=source))


@pytest.mark.parametrize(
    ("container", "error"),
    [
        pytest.param(Container("app"), "", id="nothing asked"),
        pytest.param(
            Container("app", envFrom=(EnvFromSource(configMapRef=EnvSource("absent")),)),
            'configmap "absent" not found',
            id="a whole ConfigMap",
        ),
        pytest.param(
            Container("app", envFrom=(EnvFromSource(secretRef=EnvSource("absent")),)),
            'secret "absent" not found',
            id="a whole Secret",
        ),
        pytest.param(
            Container("app", env=variable(EnvVarSource(configMapKeyRef=KeySelector("dark", "flags")))), "", id="a key"
        ),
        pytest.param(
            Container("app", env=variable(EnvVarSource(configMapKeyRef=KeySelector("light", "flags")))),
            "couldn't find key light in ConfigMap shop/flags",
            id="a key that a ConfigMap lacks",
        ),
        pytest.param(
            Container("app", env=variable(EnvVarSource(secretKeyRef=KeySelector("password", "db")))),
            "couldn't find key password in Secret shop/db",
            id="a key that a Secret lacks",
        ),
        pytest.param(
            Container("app", env=variable(EnvVarSource(secretKeyRef=KeySelector("password", "db", optional=True)))),
            "",
            id="an optional key",
        ),
        pytest.param(
            Container(
                "app",
                envFrom=(EnvFromSource(configMapRef=EnvSource("later")),),
                env=variable(EnvVarSource(secretKeyRef=KeySelector("password", "absent"))),
            ),
            'configmap "later" not found',
            id="whole objects are asked for first",
        ),
    ],
)
def test_the_first_thing_that_is_missing(container: Container, error: str) -> None:
    assert missing(container, "shop", HELD.get) == error
