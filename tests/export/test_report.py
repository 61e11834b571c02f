"""The report of a review: what it says, in which order, and as which files."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pypdf
import pytest
import yaml

from app.catalog.reading import flows
from app.export.asked import Asked, Remark
from app.export.reporting import FORMS, reported
from app.export.review import MOST_LISTED, Review, Subject, review
from app.paths import flows_dir, templates_dir
from app.story.play import Play, play, request

QUESTION = "Does a deletion drop requests?"


@pytest.fixture(scope="module")
def played() -> Play:
    return play(request("termination", settings=[("rate", "60")]))


@pytest.fixture(scope="module")
def found(played: Play) -> Review:
    remarks = (
        Remark(played.steps[6].id, "Ann", "Too early"),
        Remark(played.steps[10].id, "Bo", "15 s it is", decision=True),
        Remark("kubelet.gone:pod~x", "Cy", "old"),
    )
    against = play(request("termination", settings=[("rate", "60"), ("prestop", "15s")]))
    return review(
        played,
        Asked(form="report", last=len(played.steps), remarks=remarks),
        Subject(question=QUESTION, against=against),
    )


def test_verdicts_name_the_step_that_decides_them(found: Review) -> None:
    failed = next(row for row in found.answers if row.title == "Failed requests")
    assert (failed.ok, failed.step) == ("bad", 11)
    assert failed.moment == "Connection refused: 1 of 3 connections through node-1"


def test_settings_that_differ_come_first(found: Review) -> None:
    assert [(row.name, row.value, row.usual) for row in found.settings if row.differs] == [("rate", "60", "30")]
    assert found.settings[0].name == "rate"


def test_the_steps_that_matter_say_why(found: Review) -> None:
    why = {key.told.n: key.reasons for key in found.key_steps}
    assert why[7] == ("somebody noted something",)
    assert "something was decided here" in why[11]
    assert "decides: Failed requests" in why[11]
    assert "requests begin to fail" in why[9]
    assert "the two variants part here" in why[6]
    assert list(why) == sorted(why)
    assert len(why) < len(found.steps) / 2


def test_notes_and_decisions_keep_their_step_also_one_that_is_gone(found: Review) -> None:
    assert [(row.remark.text, row.n) for row in found.decisions] == [("15 s it is", 11)]
    assert [(row.remark.text, row.n) for row in found.notes] == [("Too early", 7), ("old", -1)]


def test_the_other_variant_stands_beside(found: Review) -> None:
    beside = found.variants
    assert beside is not None
    assert [(row.title, row.first, row.second) for row in beside.set] == [("preStop hook", "0s", "15s")]
    failed = next(row for row in beside.answers if row.title == "Failed requests")
    assert (failed.first_ok, failed.second_ok, failed.differs) == ("bad", "good", True)
    assert beside.parts_at == 6
    assert {row.state for row in beside.steps} == {"first", "second", "later"}


def test_what_it_ran_on_is_told_by_name(found: Review) -> None:
    told = {(row.kind, row.name): row.says for row in found.objects}
    assert told["Deployment", "default/web"] == "replicas 3; image registry.example/web:1.4"


def test_a_secret_is_a_name() -> None:
    manifest = "{apiVersion: v1, kind: Secret, metadata: {name: token}, stringData: {type: hush}}"
    played = play(request("sandbox", manifest=manifest))
    said = review(played, Asked(form="report", last=len(played.steps)), Subject()).objects
    assert [(row.kind, row.name, row.says) for row in said] == [("Secret", "default/token", "")]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_it_all_and_the_same_each_time(played: Play, form: str) -> None:
    remarks = (Remark(played.steps[10].id, "Bo", "15 s it is", decision=True),)
    wanted = Asked(form="report", last=len(played.steps), remarks=remarks)
    subject = Subject(title="Review of web", question=QUESTION, against=play(request("termination")))
    file = reported(form, played, wanted, subject)
    assert file.body == reported(form, played, wanted, subject).body
    text = file.body.decode() if form != "pdf" else text_of(file.body)
    places = [text.find(word) for word in ("Review of web", QUESTION, "15 s it is", "Verdicts", "Symptoms met")]
    places += [text.find(word) for word in ("Beside the other variant", "The steps that matter", "What it ran on")]
    places += [text.find(word) for word in ("Assumed, left out, not modelled", "All steps")]
    assert -1 not in places
    assert places == sorted(places)


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)


@pytest.mark.parametrize("flow", sorted(flows()))
def test_a_pdf_of_every_flow_is_accessible_and_in_our_fonts(flow: str) -> None:
    played = play(request(flow))
    body = reported("pdf", played, Asked(form="report", last=len(played.steps)), Subject()).body
    reader = pypdf.PdfReader(io.BytesIO(body))
    assert b"pdfuaid:part" in reader.xmp_metadata.stream.get_data() if reader.xmp_metadata else False
    assert b"/MarkInfo" in body
    assert reader.metadata is not None
    assert reader.metadata.title == played.flow.title
    assert reader.metadata.creation_date is None
    assert "/ID" in reader.trailer
    assert len(reader.pages) >= 3
    assert all(page.extract_text().strip() for page in reader.pages)
    names = set(re.findall(rb"/BaseFont/[A-Z]{6}\+([A-Za-z]+)", body))
    assert names <= {b"Inter", b"JetBrainsMono", b"DejaVuSansMono"}


def test_a_note_in_letters_that_our_fonts_lack_is_still_a_report(played: Play) -> None:
    remarks = (Remark("0", "Юра", "Почему? 为什么 🙂"),)
    body = reported("pdf", played, Asked(form="report", last=len(played.steps), remarks=remarks), Subject()).body
    assert "Почему?" in text_of(body)


def test_of_a_very_long_walk_the_first_steps_are_listed() -> None:
    scaled = [("do", f"{n}s scale deployment/web replicas={1 + n % 5 * 4}") for n in range(20)]
    played = play(request("sandbox", choices=scaled))
    wanted = Asked(form="report", last=len(played.steps))
    found = review(played, wanted, Subject())
    assert len(found.steps) == MOST_LISTED
    assert found.more_steps == len(played.steps) - MOST_LISTED > 0
    told = reported("md", played, wanted, Subject()).body.decode()
    assert f"{found.more_steps} more steps are not listed." in told
    assert "```mermaid" not in told, "Mermaid refuses what is so long"


def test_its_words_are_all_used_and_there() -> None:
    words = yaml.safe_load((flows_dir() / "pictures.yaml").read_text())["report"]
    room = Path(__file__).resolve().parents[2] / "app" / "export"
    code = "\n".join(path.read_text() for path in [*room.glob("*.py"), *(templates_dir() / "export").glob("report*")])
    code += (templates_dir() / "report.html").read_text()
    states = {"earlier", "later", "changed", "only-first", "only-second", "good", "bad"}
    unused = [word for word in words if word not in states and not re.search(rf"""["'.]{re.escape(word)}\b""", code)]
    assert unused == []
    asked_for = set(re.findall(r"words\.([a-z-]+)", (templates_dir() / "export" / "report.typ").read_text())) - {"at"}
    assert asked_for <= set(words)
