"""How the program in an image behaves: what a new version does differently, said of the image."""

from __future__ import annotations

import pytest

from app.kube.annotations import PREFIX
from app.kube.stringmap import StringMap
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.maps import Map
from app.sim.programs import programmed
from app.sim.schedule import run
from tests.sim.clusters import pod, world


def test_it_holds_on_every_machine_from_then_on() -> None:
    script = [parse('1s set image/shop/web:2 health="*: 503"'), parse("2s set image/shop/web:2 startup=3s")]
    found = run(Model(()), world(nodes=2), script)
    wanted = StringMap({"health": "*: 503", "startup": "3s"})
    assert [host.programs.get("shop/web:2") for host in found.world.hosts.values()] == [wanted, wanted]
    assert (found.steps[0].step.object.name, found.steps[0].step.outcome) == ("shop/web:2", "set")


def test_a_pod_takes_on_what_its_images_do_and_no_more() -> None:
    container = pod().spec.containers[0]
    known = Map({container.image: StringMap({"startup": "3s"}), "other:1": StringMap({"startup": "9s"})})
    words = programmed(pod(), known).metadata.annotations
    assert words.get(f"{PREFIX}{container.name}.startup") == "3s"
    assert len(words) == len(pod().metadata.annotations) + 1
    assert programmed(pod(), Map()) == pod()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("set image/web:2", "is the form"),
        ("set image/ startup=1s", "is the form"),
        ("set image/web:2 down", "is the form"),
        ("set image/web:2 startup=soon", "soon"),
        ("set image/web:2 nonsense=1", "no such annotation"),
    ],
)
def test_faults_are_told(line: str, fault: str) -> None:
    assert fault in " ".join(check(parse(line)))


def test_a_sound_one_has_no_fault() -> None:
    assert check(parse('set image/registry.example/shop/web:2 health="/ready: 503" image-pull=not-found')) == []
