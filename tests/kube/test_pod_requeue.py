"""When a pod worker is due again."""

import pytest

from app.kube.pod_requeue import Nap, nap


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(nap(), Nap(10_000, 15_000), id="after a failed sync"),
        pytest.param(nap(network=True), Nap(1_000, 1_500), id="while the network is not ready"),
        pytest.param(nap(expires_in=40_000), Nap(40_000, 60_000), id="after a back-off"),
        pytest.param(nap(expires_in=300_000), Nap(60_000, 90_000), id="after a minute at the latest"),
        pytest.param(nap(expires_in=-5), Nap(0, 0), id="at once when it is over already"),
    ],
)
def test_a_nap(found: Nap, expected: Nap) -> None:
    assert found == expected
