"""A small corpus of real dialogues is enough for every attack."""

from __future__ import annotations

import pytest

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import BEYOND, PAPER, chosen
from dialmeter.judges.language import Language
from dialmeter.model import Conversation
from dialmeter.readers.conversations import open_conversations

from ...shared_data import shared

DIALOGUES = 200
ENOUGH = 80
FROM_THE_LEXICON = ("vocabulary", "unnatural-paraphrase", "entrainment")


@pytest.fixture(scope="module")
def talks() -> list[Conversation]:
    return list(open_conversations(shared("data", "judges", "satisfaction_mwoz.txt.gz")))[:DIALOGUES]


def test_full_resources_give_enough_of_every_attack(talks: list[Conversation], with_wordnet: Language) -> None:
    found = attack_corpus(talks, chosen([*PAPER, *BEYOND]), with_wordnet, cases=ENOUGH)
    made = {statistics.attack: statistics.made for statistics in found.yields}
    # Most references are unsure, and are not spelled out.
    assert 10 <= made.pop("co-reference") < ENOUGH
    assert made == dict.fromkeys([name for name in (*PAPER, *BEYOND) if name != "co-reference"], ENOUGH)
    assert [notice.code for notice in found.notices] == ["few-cases"]


def test_the_built_in_lexicon_gives_cases_without_other_resources(talks: list[Conversation], light: Language) -> None:
    found = attack_corpus(talks, chosen(FROM_THE_LEXICON), light, cases=ENOUGH)
    made = {statistics.attack: statistics.made for statistics in found.yields}
    assert made["entrainment"] == made["unnatural-paraphrase"] == ENOUGH
    assert made["vocabulary"] >= 20
