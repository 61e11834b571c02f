"""What a note can be pinned to: who takes part in a walk, and the objects that its picture shows."""

from __future__ import annotations

from app.diagram.extract.lanes import participant, standing
from app.errors import BadInput
from app.kube.near_names import did_you_mean
from app.sim.maps import ordered
from app.story.play import Play
from app.web.keeping import Kept
from app.web.moment import Moment

DRAWN = ("Pod", "Node", "EndpointSlice", "PodDisruptionBudget")
MOST_OFFERED = 40


def pins(moment: Moment) -> tuple[str, ...]:
    """Those that are offered: who acts in this step and on what, then everybody else."""
    found = dict.fromkeys((*_of_step(moment), *lanes(moment.played), *_objects(moment, DRAWN)))
    return tuple(found)[:MOST_OFFERED]


def checked_pin(moment: Moment, actor: str) -> str:
    """The name as given, where there is such a lane or object at this step."""
    there = dict.fromkeys((*_of_step(moment), *lanes(moment.played), *_objects(moment)))
    if actor and actor not in there:
        near = did_you_mean(actor, list(there))
        raise BadInput([f"actor: found {actor[:80]!r}; allowed: a lane of this walk or an object at this step{near}"])
    return actor


def _of_step(moment: Moment) -> tuple[str, ...]:
    if not moment.n:
        return ()
    step, flow = moment.steps[moment.n - 1].step, moment.played.flow
    return participant(flow, step.sender).name, participant(flow, step.to).name, str(step.object)


def _objects(moment: Moment, kinds: tuple[str, ...] = ()) -> list[str]:
    objects = ordered(moment.played.world(moment.n).etcd.objects)
    return [str(ref) for ref, _ in objects if not kinds or ref.kind in kinds]


def _lanes(played: Play) -> tuple[str, ...]:
    names = {lane for row in played.steps for lane in (row.step.sender, row.step.to)}
    found = sorted((participant(played.flow, lane) for lane in sorted(names)), key=standing)
    return tuple(dict.fromkeys(who.name for who in found))


lanes = Kept(_lanes)
"""Everybody who takes part in a walk, as the pictures name them."""
