"""Values in ten languages under the default rule set: which spellings are equal, and which language gold is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.core.run_writer import ShardTask
from dialmeter.errors import InputError
from dialmeter.readers.source import Span
from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import TrackerSettings, score_file, score_shard
from dialmeter.values.languages import languages, plain
from dialmeter.values.steps import RULE_STEPS

from ..cli.invoke import Cli

# A value of gold in the language; then twenty pairs, of which those with ≠ are different values. An empty side is no value.
PAIRS = {
    "zh": (
        "豪华型",
        "不在乎 = dontcare; 不在意 = don't care; 无所谓 = dontcare; 無所謂 = 无所谓; 随便 = 都可以; 没有偏好 = no preference; 未提及 = ;"
        " 没有提到 = none; 未知 = unknown; ３ = 3; 三 = 3; 十二 = 12; 二十 = ２０; 一百零五 = 105; １８：００ = 18:00; ＷｉＦｉ = wifi;"
        " 两 = 2; 三 ≠ 4; 没有 ≠ none; 豐 ≠ 丰",
    ),
    "ja": (
        "ホテル",
        "気にしない = dontcare; こだわらない = dontcare; 何でもいい = don't care; どちらでも良い = dontcare; 希望なし = no preference;"
        " 言及なし = ; 言及されていない = none; 不明 = unknown; ﾎﾃﾙ = ホテル; ３ = 3; 三 = 3; ひとつ = 1; みっつ = 3; 十 = 10; １０：３０ = 10:30;"
        " ガ = ｶﾞ; Ｗｉ－Ｆｉ = wi-fi; なし ≠ none; 東 ≠ 西; ハ ≠ パ",
    ),
    "ko": (
        "서울 중앙",
        "상관없음 = dontcare; 상관 없음 = 상관없음; 상관없어요 = don't care; 무관 = dontcare; 선호 없음 = no preference; 언급 없음 = ;"
        " 미언급 = none; 알 수 없음 = unknown; 하나 = 1; 둘 = 2; 셋 = 3; 열 = 10; ３ = 3; 가 = \u1100\u1161; ﾡ = ㄱ; １８：００ = 18:00;"
        " 관계없음 = dontcare; 없음 ≠ none; 셋 ≠ 4; 북쪽 ≠ 남쪽",
    ),
    "de": (
        "Montag",
        "egal = dontcare; Ist mir egal = dontcare; spielt keine Rolle = don't care; keine Präferenz = no preference;"
        " Gleichgültig = dontcare; nicht wichtig = egal; nicht erwähnt = ; Keine Angabe = none; unbekannt = unknown; Osten = osten;"
        " GÜNSTIG = günstig; günstig = gu\u0308nstig; ３ = 3; 18 : 00 = 18:00; keine Vorlieben = dontcare; nein = Nein; Straße ≠ strasse;"
        " günstig ≠ guenstig; keine ≠ none; drei ≠ 3",
    ),
    "fr": (
        "lundi",
        "peu importe = dontcare; Peu m’importe = dontcare; ça m'est égal = don't care; indifférent = dontcare;"
        " sans préférence = no preference; aucune préférence = dontcare; non mentionné = ; non précisé = none; inconnu = unknown;"
        " Élevé = élevé; élevé = e\u0301leve\u0301; l’hôtel = l'hôtel; ３ = 3; œuf = ŒUF; pas cher = PAS CHER; n'importe = dontcare; oui = Oui;"
        " élevé ≠ eleve; aucun ≠ none; trois ≠ 3",
    ),
    "es": (
        "miércoles",
        "no importa = dontcare; No me importa = dontcare; me da igual = don't care; sin preferencia = no preference;"
        " indiferente = dontcare; es indiferente = da igual; no mencionado = ; sin mencionar = none; desconocido = unknown;"
        " Sí = sí; sábado = SÁBADO; niño = nin\u0303o; ３ = 3; 18 : 00 = 18:00; no tengo preferencia = dontcare; barato = Barato;"
        " sábado ≠ sabado; año ≠ ano; ninguno ≠ none; tres ≠ 3",
    ),
    "it": (
        "venerdì",
        "non importa = dontcare; Non mi importa = dontcare; indifferente = don't care; è indifferente = dontcare; fa lo stesso = dontcare;"
        " nessuna preferenza = no preference; non menzionato = ; non specificato = none; sconosciuto = unknown; lunedì = LUNEDÌ;"
        " città = citta\u0300; l’albergo = l'albergo; ３ = 3; sì = Sì; 18 : 00 = 18:00; senza preferenze = dontcare; economico = Economico;"
        " città ≠ citta; nessuno ≠ none; tre ≠ 3",
    ),
    "ru": (
        "восток",
        "неважно = dontcare; Не важно = dontcare; всё равно = все равно; без разницы = don't care; безразлично = dontcare;"
        " нет предпочтений = no preference; не имеет значения = dontcare; не упомянуто = ; не указано = none; неизвестно = unknown;"
        " Центр = центр; ДЁШЕВО = дёшево; й = \u0438\u0306; ３ = 3; 18 : 00 = 18:00; « а » = « А »; мне всё равно = dontcare; нет ≠ none;"
        " дёшево ≠ дешево; три ≠ 3",
    ),
    "ar": (
        "شرق",
        "لا يهم = dontcare; لا يهمني = don't care; غير مهم = dontcare; بدون تفضيل = no preference; لا فرق = dontcare;"
        " لا أهتم = لا اهتم; غير مذكور = ; لم يذكر = none; غير معروف = unknown; ٣ = 3; ١٢ = 12; ١٨:٣٠ = 18:30; ٢٠٢٦ = 2026; ﻻ = لا;"
        " أ = \u0627\u0654; ３ = ٣; لا يوجد تفضيل = dontcare; لا ≠ none; ثلاثة ≠ 3; غرب ≠ جنوب",
    ),
    "hi": (
        "पूर्व",
        "परवाह नहीं = dontcare; कोई फर्क नहीं पड़ता = don't care; कोई फ़र्क नहीं पड़ता = कोई फर्क नहीं पड़ता; मायने नहीं रखता = dontcare;"
        " कोई प्राथमिकता नहीं = no preference; कोई वरीयता नहीं = dontcare; उल्लेख नहीं = ; उल्लेख नहीं किया गया = none; अज्ञात = unknown;"
        " ३ = 3; १२ = 12; १८:३० = 18:30; २०२६ = 2026; ３ = ३; \u095c = \u0921\u093c; \u095e = \u092b\u093c; कोई पसंद नहीं = dontcare; नहीं ≠ none; तीन ≠ 3; उत्तर ≠ दक्षिण",
    ),
}


def pairs_of(code: str) -> list[tuple[str, str, bool]]:
    found = []
    for pair in PAIRS[code][1].split(";"):
        is_equal = "≠" not in pair
        one, _, other = pair.partition("=" if is_equal else "≠")
        found.append((one.strip(), other.strip(), is_equal))
    return found


@pytest.mark.parametrize("code", PAIRS)
def test_twenty_pairs(code: str) -> None:
    pairs = pairs_of(code)
    assert len(pairs) == 20
    for one, other, is_equal in pairs:
        for gold, pred in ((one, other), (other, one)):
            scorer = TrackerScorer(["JGA"])
            scorer.add("d", [{"a-mark": PAIRS[code][0], "a-x": gold}], [{"a-mark": PAIRS[code][0], "a-x": pred}])
            assert scorer.result()["JGA"].value == is_equal, (gold, pred)


def test_table() -> None:
    assert set(languages()) == set(PAIRS)
    steps = [RULE_STEPS[name] for name in named("dialmeter").values]
    meanings: dict[str, set[str]] = {}
    for code, each in languages().items():
        assert bool(each.letters) != bool(each.marks), code
        for kind, words in (("dontcare", each.dontcare), ("absent", each.absent)):
            for word in words:
                text = word
                for step in steps:
                    text = step(text)
                # A word that the steps change would never be looked up.
                assert text == plain(word), word
                meanings.setdefault(plain(word), set()).add(kind)
    assert all(len(kinds) == 1 for kinds in meanings.values())


def lines(path: Path, *states: tuple[dict[str, str], dict[str, str]]) -> str:
    rows = [{"dialogue_id": f"d{n}", "turns": [{"turn": 0, "gold": g, "pred": p}]} for n, (g, p) in enumerate(states)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return str(path)


WORD, MARK = ({"a-x": "dontcare"}, {"a-x": "egal"}), ({"a-y": "Montag"}, {"a-y": "montag"})


def test_gold_decides_in_any_order(tmp_path: Path) -> None:
    for number, states in enumerate([(WORD, MARK), (MARK, WORD)]):
        score = score_file(lines(tmp_path / f"{number}.jsonl", *states))["JGA"]
        assert score.value == 1
        assert "|languages:de|" in score.signature


def test_predictions_do_not_decide(tmp_path: Path) -> None:
    states = WORD, ({"a-y": "monday"}, {"a-y": "Montag"})
    score = score_file(lines(tmp_path / "a.jsonl", *states))["JGA"]
    assert score.value == 0
    assert "languages" not in score.signature


def test_same_signature_for_all_systems(tmp_path: Path) -> None:
    signatures = {
        score_file(lines(tmp_path / f"{number}.jsonl", (MARK[0], {"a-y": pred})))["JGA"].signature
        for number, pred in enumerate(["montag", "egal", "x"])
    }
    assert len(signatures) == 1


def test_stream_that_shows_its_language_late() -> None:
    scorer = TrackerScorer(["JGA"])
    scorer.add("a", *([state] for state in WORD))
    scorer.add("b", *([state] for state in MARK))
    with pytest.raises(InputError, match="--set languages=de"):
        scorer.result()
    scorer = TrackerScorer(["JGA"], change(named("dialmeter"), languages="de"))
    scorer.add("a", *([state] for state in WORD))
    scorer.add("b", *([state] for state in MARK))
    assert scorer.result()["JGA"].value == 1


def test_setting(tmp_path: Path, cli: Cli) -> None:
    path = lines(tmp_path / "a.jsonl", WORD, MARK)
    said = cli("score", path, "-m", "JGA")
    assert "JGA 100.00" in said.out
    assert "|languages:de|" in said.out
    assert "in German are read" in said.err
    said = cli("score", path, "-m", "JGA", "--set", "languages=none")
    assert "JGA 50.00" in said.out
    assert "languages:" not in said.err
    assert "|languages:fr+it|" in cli("score", path, "-m", "JGA", "--set", "languages=it,fr").out
    assert "unknown language 'xx'" in cli("score", path, "--set", "languages=xx", code=2).err


def test_saved_run(tmp_path: Path, cli: Cli) -> None:
    path = lines(tmp_path / "a.jsonl", WORD, MARK)
    cli("score", path, "-o", tmp_path / "run")
    assert "JGA 100.00" in cli("score", tmp_path / "run").out


def test_kept_meanings_stay_as_written() -> None:
    normaliser = Normaliser(change(named("dialmeter"), none="keep", dontcare="keep", languages="zh"))
    assert [normaliser.gold_value(word) for word in ("不在乎", "未提及", "三")] == ["不在乎", "未提及", "3"]


def test_shards_of_a_file_agree(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", WORD, MARK)
    size, cut = Path(path).stat().st_size, Path(path).read_bytes().index(b"\n") + 1
    settings = TrackerSettings(named("dialmeter"), ["JGA"])
    scorer = settings.scorer()
    for number, bounds in enumerate([(0, cut), (cut, size)]):
        scorer.merge_part(score_shard(ShardTask(Span(path, bounds), number, settings)))
    assert scorer.result()["JGA"].value == 1
    assert scorer.result()["JGA"].signature == score_file(path, measures=["JGA"])["JGA"].signature
