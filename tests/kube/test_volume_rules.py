"""What is wrong with a pod's volumes, in the words of those who find out."""

import pytest

from app.kube import volume_rules
from app.kube.meta import Ref
from app.kube.pods import (
    ConfigMapVolumeSource,
    KeyToPath,
    PersistentVolumeClaimVolumeSource,
    ProjectedKeys,
    ProjectedVolumeSource,
    SecretVolumeSource,
    Volume,
    VolumeProjection,
)
from app.kube.volume_rules import missing, next_try, of_files, retry_after

HELD = {Ref("ConfigMap", "shop", "site"): frozenset({"index"}), Ref("Secret", "shop", "db"): frozenset({"password"})}
DISK = PersistentVolumeClaimVolumeSource("data")
INDEX, OTHER = (KeyToPath("index", "index.html"),), (KeyToPath("other", "other"),)


def config(name: str, items: tuple[KeyToPath, ...] = (), *, optional: bool = False) -> Volume:
    return Volume("files", configMap=ConfigMapVolumeSource(name, items, optional))


def secret(name: str, items: tuple[KeyToPath, ...] = (), *, optional: bool = False) -> Volume:
    return Volume("files", secret=SecretVolumeSource(name, items, optional))


def projected(name: str, items: tuple[KeyToPath, ...] = ()) -> Volume:
    rows = (VolumeProjection(secret=ProjectedKeys("db")), VolumeProjection(configMap=ProjectedKeys(name, items)))
    return Volume("files", projected=ProjectedVolumeSource(rows))


@pytest.mark.parametrize(
    ("volume", "error"),
    [
        (config("site"), ""),
        (config("site", INDEX), ""),
        (config("gone"), 'configmap "gone" not found'),
        (config("gone", optional=True), ""),
        (config("site", OTHER), "configmap references non-existent config key: other"),
        (config("site", OTHER, optional=True), ""),
        (secret("gone"), 'secret "gone" not found'),
        (secret("db", OTHER), "references non-existent secret key: other"),
        (projected("site", INDEX), ""),
        (projected("gone"), 'configmap "gone" not found'),
        (Volume("scratch"), ""),
        (Volume("disk", persistentVolumeClaim=DISK), ""),
    ],
)
def test_what_a_volume_misses(volume: Volume, error: str) -> None:
    assert missing(volume, "shop", HELD.get) == error


def test_what_is_made_of_files() -> None:
    volumes = [
        config("site"),
        secret("db"),
        projected("site"),
        Volume("scratch"),
        Volume("disk", persistentVolumeClaim=DISK),
    ]
    assert [of_files(row) for row in volumes] == [True, True, True, False, False]
    assert not of_files(Volume("token", projected=ProjectedVolumeSource((VolumeProjection(),))))


def test_what_a_volume_needs() -> None:
    assert [tuple(need) for need in volume_rules.needs(config("site", INDEX))] == [
        ("ConfigMap", "site", "", False), ("ConfigMap", "site", "index", False),
    ]  # fmt: skip
    assert [need.kind for need in volume_rules.needs(Volume("disk", persistentVolumeClaim=DISK))] == [
        "PersistentVolumeClaim"
    ]


def test_tries_get_rarer_up_to_one_in_two_minutes() -> None:
    assert [retry_after(tries) for tries in (1, 2, 3, 8, 9, 20)] == [500, 1_000, 2_000, 64_000, 122_000, 122_000]
    instants = (0, 500, 501, 1_600, 128_000, 249_500)
    assert [next_try(0, now) for now in instants] == [0, 500, 1_500, 3_500, 249_500, 249_500]


def test_claims_that_are_of_no_use() -> None:
    errors = {"disk": "error processing PVC shop/data: PVC is not bound"}
    assert volume_rules.unprocessed(errors) == (
        "Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], "
        "failed to process volumes=[disk]: error processing PVC shop/data: PVC is not bound"
    )
