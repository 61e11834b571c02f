import pytest

from app.errors import BadInput
from app.kube.meta import Ref
from app.web.address import Place, Query, choices_of, parse


def test_a_query_reads_back_as_it_was_written() -> None:
    query = Query(
        manifest="abc",
        scene="race",
        settings=(("grace", "30s"), ("lag_kubelet", "1ms..5ms")),
        choices=(
            ("do", "5s delete pod/web-1"),
            ("pick", "a@n.b:pod~x!deliver:kubelet/n:Pod@0.5"),
            ("do", "6s cordon node/n"),
        ),
        depth="senior",
        view="cluster",
        theme="dark",
        pod="shop/web-1",
    )
    assert query.described == Ref("Pod", "shop", "web-1")
    assert parse(str(query)[1:]) == query


def test_the_order_of_do_and_pick_is_kept() -> None:
    assert parse("pick=x!intervene&do=b&set.a=1&do=c").choices == (("pick", "x!intervene"), ("do", "b"), ("do", "c"))


@pytest.mark.parametrize("empty", ["", " ", "601ms ", "1m"])
def test_an_intervention_left_empty_is_no_choice(empty: str) -> None:
    assert choices_of([("do", empty), ("pick", "")]) == ()


def test_nothing_is_said_of_nothing() -> None:
    assert str(parse("utm_source=mail&do=&scene=")) == ""


def test_an_empty_setting_is_still_a_setting() -> None:
    assert parse("set.grace=").settings == (("grace", ""),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("depth=expert", "depth: found 'expert'; allowed: junior, middle, senior, principal"),
        ("view=map", "view: found 'map'; allowed: cluster, messages, timeline"),
        ("theme=pink", "theme: found 'pink'; allowed: light, dark"),
        ("pod=Web_1", "pod: found 'Web_1'; allowed: NAME or NAMESPACE/NAME"),
    ],
)
def test_a_look_that_is_not_there_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(text)
    assert refused.value.problems == [problem]


def test_an_address_with_too_many_parts_is_refused() -> None:
    with pytest.raises(BadInput):
        parse("&".join(["do=x"] * 501))


def test_a_step_id_is_one_segment_that_a_reader_can_read() -> None:
    place = Place(path="/f/termination", query=Query(choices=(("do", "5s delete pod/web-1 & more"),)))
    assert place.step("kubelet-pods@node-1.signal:pod~web-1") == (
        "/f/termination/kubelet-pods@node-1.signal:pod~web-1?do=5s%20delete%20pod/web-1%20%26%20more"
    )
    assert place.form(7, "svg", "cluster").startswith("/f/termination/7.svg?")
    assert place.form(7, "svg", "cluster").endswith("&view=cluster")
