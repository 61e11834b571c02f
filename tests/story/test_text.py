"""A walk as text for a terminal."""

from app.story.play import play, request
from app.story.text import plain


def test_what_commands_print_stands_between_the_steps() -> None:
    lines = plain(play(request("drain", scene="budget-exhausted"))).splitlines()
    refusals = [line for line in lines if "err: error when evicting pods/" in line]
    assert len(refusals) == 24
    assert [line.split()[0] for line in refusals[::2]] == [f"{5 * number}.046" for number in range(12)]
    typed = next(line for line in lines if line.endswith("$ kubectl drain node-1 --ignore-daemonsets"))
    assert lines[lines.index(typed) + 1].endswith("out: node/node-1 cordoned")
    assert lines.index(typed) > next(at for at, line in enumerate(lines) if "kubectl cordons" in line)
    assert sum(line.endswith(typed.split("$")[1]) for line in lines) == 1
