"""Cases as files: JSON lines, preference pairs, the published folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import PAPER, named
from dialmeter.judges.case_files import PUBLISHED_NAMES, case_folders, read_published, write_published
from dialmeter.judges.cases import Case, pairs
from dialmeter.judges.language import Language

from .talk import VILLAGE


@pytest.fixture
def cases(light: Language) -> list[Case]:
    return attack_corpus(VILLAGE, [named("pronoun"), named("dullness"), named("entrainment")], light, cases=6).cases


def test_published_folders_are_read_as_they_were_written(cases: list[Case], tmp_path: Path) -> None:
    assert write_published(tmp_path, cases) == len(cases)
    assert case_folders(tmp_path)
    back, notices = read_published(tmp_path)
    assert notices == []
    # The published format has no variants, so the expectation is that of the attack.
    expected = {
        (case.attack, named(case.attack).expected, named(case.attack).facet, case.reply, case.adversarial)
        for case in cases
    }
    assert {(case.attack, case.expected, case.facet, case.reply, case.adversarial) for case in back} == expected
    texts = {tuple(move.text for move in case.context) for case in cases}
    assert {tuple(move.text for move in case.context) for case in back} == texts


def test_every_attack_of_the_paper_has_its_published_name() -> None:
    assert list(PUBLISHED_NAMES) == list(PAPER)
    assert len(set(PUBLISHED_NAMES.values())) == len(PAPER)


def published(folder: Path, name: str, original: list[str], modified: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    lines = ["original_conversation", *original, "modified_conversation", *modified]
    (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


def test_faulty_published_cases_are_skipped_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "ner-1"
    published(folder, "case_0", ["Hi", "I am Ida."], ["Hi", "I am Leeds."])
    published(folder, "case_1", ["Hi", "I am Ida."], ["Hi", "i am  ida ."])
    published(folder, "case_2", ["Hi", "I am Ida."], ["Ho", "I am Leeds."])
    published(folder, "case_10", ["I am Ida."], ["I am Leeds."])
    (folder / "prob_cases_x").write_text("case_0 1 2")
    cases, notices = read_published(tmp_path)
    assert [(case.attack, case.adversarial, case.spans) for case in cases] == [
        ("named-entity", "I am Leeds.", ((5, 10),))
    ]
    assert {notice.message: notice.where for notice in notices} == {
        "1 cases unscored: no context": ("ner-1/case_10",),
        "1 cases unscored: nothing changes": ("ner-1/case_1",),
        "1 cases unscored: the context changes": ("ner-1/case_2",),
    }


def test_a_file_that_is_not_a_case_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "dullness"
    folder.mkdir()
    (folder / "case_3").write_text("hello")
    with pytest.raises(InputError, match=r"case_3.*expected a line original_conversation"):
        read_published(tmp_path)


def test_pairs_only_if_one_reply_is_better(cases: list[Case]) -> None:
    found = list(pairs(cases))
    assert {pair.attack for pair in found} == {case.attack for case in cases if case.expected == "lower"}
    assert {(pair.chosen, pair.rejected) for pair in found} == {
        (case.reply, case.adversarial) for case in cases if case.expected == "lower"
    }
