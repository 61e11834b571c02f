"""Who hears of what: from the list of loops, which processes watch which kinds."""

from __future__ import annotations

from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.sim.draft import Draft
from app.sim.loop import HostWakes, Loop


class Routes:
    """Tables made once from the list of loops."""

    def __init__(self, loops: tuple[Loop, ...]) -> None:
        self.on_host: list[tuple[Loop, HostWakes]] = [(loop, loop.on_host) for loop in loops if loop.on_host]
        self.elections = [loop for loop in loops if loop.elects]
        self.on_traffic = [loop for loop in loops if loop.traffic]
        self.on_command = [loop for loop in loops if loop.commands]
        self.processes: dict[str, list[Loop]] = {}
        self._once: dict[str, list[str]] = {}
        self._besides: dict[str, list[str]] = {}
        self.besides = {loop.process for loop in loops if loop.besides}
        self._everywhere: dict[str, list[str]] = {}
        self._mine: dict[str, list[str]] = {}
        self._listeners: dict[tuple[str, str], tuple[Loop, ...]] = {}
        self._heartbeats: set[tuple[str, str]] = set()
        for loop in loops:
            if loop.process:
                self.processes.setdefault(loop.process, []).append(loop)
                self._place(loop)

        mine = {process for names in self._mine.values() for process in names}
        self.alike = {process for names in self._everywhere.values() for process in names} - mine
        """Processes that see on every node what they see on any of them."""

        for (process, kind), listening in self._listeners.items():
            if all(kind in loop.heartbeats for loop in listening):
                self._heartbeats.add((process, kind))

    def _place(self, loop: Loop) -> None:
        if loop.commands:
            self._placed_commands(loop)
            return
        for kind in (*loop.wakes, *loop.reads):
            table = self._besides if loop.besides else self._once
            if loop.per_node:
                table = self._mine if kind in loop.watches_mine else self._everywhere
            watchers = table.setdefault(kind, [])
            if loop.process not in watchers:
                watchers.append(loop.process)
            if kind in loop.wakes:
                self._listeners[(loop.process, kind)] = (*self._listeners.get((loop.process, kind), ()), loop)

    def _placed_commands(self, loop: Loop) -> None:
        """A command line watches only the objects whose end it waits for."""
        for kind in loop.wakes:
            self._listeners[(loop.process, kind)] = (*self._listeners.get((loop.process, kind), ()), loop)

    def listeners(self, process: str, kind: str) -> tuple[Loop, ...]:
        """The loops of a process that a change of that kind may wake."""
        return self._listeners.get((process.partition("/")[0], kind), ())

    def only_heartbeats(self, process: str, kind: str) -> bool:
        """Whether changes of that kind are signs of life to all that hear of them there."""
        return (process.partition("/")[0], kind) in self._heartbeats

    def kinds(self, process: str) -> list[str]:
        """All kinds that a process watches."""
        base = process.partition("/")[0]
        tables = (self._once, self._besides, self._everywhere, self._mine)
        return sorted({kind for table in tables for kind, names in table.items() if base in names})

    def sees(self, process: str, obj: Object) -> bool:
        """Whether a process that watches the kind sees this object (per-node watches are filtered by the API)."""
        base, _, node = process.partition("/")
        return base not in self._mine.get(obj.kind, ()) or node in _nodes_of(obj)

    def watchers(self, draft: Draft, kind: str, before: Object | None, after: Object | None) -> list[str]:
        """The running processes to which a change of that kind is sent, in a stated order."""
        found = list(self._once.get(kind, ()))
        if draft.besides:
            found += [process for process in self._besides.get(kind, ()) if process in draft.besides]
        for process in self._mine.get(kind, ()):
            nodes = dict.fromkeys(node for obj in (before, after) if obj is not None for node in _nodes_of(obj))
            found += [f"{process}/{node}" for node in nodes]
        for process in self._everywhere.get(kind, ()):
            found += [f"{process}/{node}" for node in draft.nodes]
        if draft.commands and _awaited(draft, before or after):
            found += [loop.process for loop in self.on_command if loop.process]
        if draft.down or draft.severed:
            return [name for name in found if name not in draft.down and (name, kind) not in draft.severed]
        return found


def _awaited(draft: Draft, obj: Object | None) -> bool:
    return obj is not None and any(
        command.exit is None and obj.metadata.uid in command.uids for command in draft.commands.values()
    )


def _nodes_of(obj: Object) -> tuple[str, ...]:
    if isinstance(obj, Pod):
        return (obj.spec.nodeName,) if obj.spec.nodeName else ()
    return (obj.metadata.name,) if isinstance(obj, Node) else ()
