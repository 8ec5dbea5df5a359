"""What the name of a field says about its role: points from 1 to 10 for a word, and one more if the word is the whole name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Any

_WORDS = {
    "gold": """10 gold golden truth groundtruth expected golds; 9 true gt reference 标注 标签 正解;
        8 label labels target targets ref soll etalon verdad real verite riferimento gabarito attendu esperado referencia referenz etiqueta etiquette erwartet 정답 эталон reponseattendue; 7 annotation annotated oracle tgt; 5 correct; 4 g""",
    "pred": """10 pred preds prediction predictions predicted predict; 9 hyp hypothesis hypotheses vorhersage vorhergesagt prediccion predicho predicha predit predite previsto predetto 预测 予測 예측 прогноз;
        8 generated gen; 7 generation pr; 6 output outputs completion decoded inferred tracked; 5 resps; 4 response ist p;
        3 answer result resp parsed hat; 2 model ptr sys""",
    "state": """5 actual state states belief beliefs bs slots slotvalues zustand 状态 状態 상태 состояние etat estado stato bspn; 4 dst frames; 3 frame;
        2 metadata values semantic""",
    "dialogue": """9 dialogue dialog dialogo dial conversation conv; 8 session gespraech 会话 对话 対話 대화 диалог gesprach dlg; 7 chat thread;
        6 sender guid episode; 5 custom key; 3 id d call; 2 uid example trace case; 1 file sample""",
    "turn": """10 turn; 8 tour turno 轮次 轮 ターン 턴 ход; 7 utt; 6 step round; 5 runde; 4 position t; 3 utterance idx index zug nr exchange;
        2 num n; 1 no""",
    "text": """8 utterance text enonce außerung aeusserung; 7 content said; 6 user usr query message nutzer transcript msg;
        5 prompt question body; 4 input context history customer sim human; 2 line source src; 1 value""",
    "system text": "6 system sys bot assistant reply; 5 agent resp response wizard; 3 answer model",
    "speaker": """10 speaker locuteur sprecher hablante; 9 role; 8 from; 7 who; 6 author actor participant; 5 sender;
        4 side direction; 2 event source; 1 type""",
    "slot": "10 slot; 7 attribute; 6 merkmal; 5 key field; 4 property",
    "rater": """10 rater annotator worker bewerter; 9 judge evaluator assessor reviewer respondent completedby labeler;
        8 email coder participant prolific; 6 responseid person expert subject; 4 user; 2 name code""",
    "rating": """10 rating ratings winner preference preferred; 9 score scores overall quality likert bewertung; 8 grade punkte coherence fluency
        helpfulness naturalness appropriateness relevance satisfaction consistency informativeness coherent fluent helpful natural
        appropriate relevant consistent informative; 7 feedback stars better vote agreement engaging interesting; 6 choice label labels; 5 value; 4 note pass passed; 2 answer""",
    "item": """10 item; 8 dialogue dialog conversation conv; 7 qid question; 6 sample example instance key session chat pair; 5 id doc;
        3 file prompt output""",
    "criterion": "10 criterion criteria dimension aspect facet; 8 metric merkmal statement; 6 attribute measure; 5 quality category question",
    "person": "10 annotated annotation annotator crowd expert gold human manual people person",
    "winner": "10 best better choice preference preferred verdict vote winner winning won",
    "machine": """10 ai auto automatic bertscore bleu bleurt claude gemini gpt judges llama llm machine metric model predicted rouge suggestion suggestions""",
    "annotations": "10 annotations judgements judgments reviews",
    "mark": "10 grade label labels rating ratings score scores verdict vote",
    "no rating": """10 confidence cost count duration index latency length seconds time timestamp tokens turn turns year""",
    "name of a system": "10 model system tracker; 9 run seed; 8 checkpoint; 7 experiment; 6 variant method",
    "update": "10 change changes delta new turnlabel turnpred update updates",
    "previous": "10 prev previous last before",
    "not a dialogue": "10 user message worker annotator model label request row",
    "task": "10 task; 9 testcase; 8 scenario; 6 case problem; 3 question example; 2 goal; 1 intent",
    "trial": "10 trial; 9 attempt; 8 repetition; 7 epoch repeat; 6 rep iteration; 5 seed; 2 run sample",
    "outcome": """10 reward success successful succeeded; 9 resolved outcome passed pass achieved solved accomplished reached;
        8 correctness fulfilled taskcompletion goalcompletion; 7 correct verdict won; 6 completed complete grade; 5 score met exactmatch; 4 result ok evaluation; 3 done; 1 status""",
    "error": "10 error exception crash crashed; 9 traceback; 4 failure",
    "constraints": "10 constraint constraints; 9 inform informslots info",
    "requests": "10 request requests requested requestslots reqt; 8 asks asksfor",
    "goal": """10 goal goals; 9 ziel; 8 objective; 7 instruction; 6 scenario; 5 wants; 3 persona profile; 2 intent description""",
}
"""Role → its words with their points, in normal form."""
_WRAPPERS = "slot_values slots state belief_state belief dialogue_state dialog_state states values"
_ROOTS = """annotations calls chats content contents conversations data dev dialogs dialogue dialogues entries episodes events
    examples exchange instances items log logs messages observations outputs predictions records responses results rows runs
    samples sessions simulations test testset threads traces train trajectories turns utterances validation"""
WRAPPERS = frozenset(_WRAPPERS.split())
"""Keys of an object that holds the state as one of several fields."""
ROOTS = frozenset(_ROOTS.split())
"""Keys that hold the records of a file."""
NO_TABLES = frozenset(("frames", "tools", "tool_calls", "slots", "acts", "actions"))
"""Lists of objects that are no turns."""
_USERS = """caller citizen client cliente consumer contact customer end_user guest human inbound incoming kunde nutzer patient prompter sim
    simulated_user simulator student u user user_simulator usr usuario utilisateur visitor"""
_SYSTEMS = """a admin advisor agent ai asistente assistant berater bot chatbot chatgpt clerk conseiller gpt helper llm machine mitarbeiter model operator
    outbound outgoing representative robot s sistema sys system tutor wizard"""
_OTHERS = """action developer environment function function_call internal ipython note observation restart session_started slot
    system_prompt tool tool_call tool_call_result tool_calls tool_result"""
USERS, SYSTEMS, OTHERS = (frozenset(words.split()) for words in (_USERS, _SYSTEMS, _OTHERS))
"""Names of speakers of a conversation: of the user, of the system, and of neither."""
_SPOKEN = frozenset(("message", "msg", "reply", "response", "turn", "utterance"))
_PART = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")


def _plain(text: str) -> str:
    """Return a text without accents, in lower case."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)).lower()


@lru_cache(10_000)
def parts_of(name: str) -> tuple[str, ...]:
    """Return the words of a name.

    Example:
        >>> parts_of("expectedOutput"), parts_of("y_pred"), parts_of("Énoncé 2")
        (('expected', 'output'), ('y', 'pred'), ('enonce', '2'))
    """
    return tuple(_plain(part) for part in _PART.findall(_CAMEL.sub(" ", unicodedata.normalize("NFC", name))))


def _parse(text: str) -> dict[str, int]:
    groups = (group.split() for group in text.split(";"))
    return {_plain(word): int(points) for points, *words in groups for word in words}


_POINTS = {role: _parse(text) for role, text in _WORDS.items()}


@lru_cache(10_000)
def points(role: str, name: str) -> int:
    """Return the points of a name for a role.

    Example:
        >>> points("gold", "expectedOutput"), points("pred", "expectedOutput"), points("gold", "gold"), points("turn", "area")
        (10, 6, 11, 0)
    """
    words, known = parts_of(name), _POINTS[role]
    whole = "".join(words)
    found = [known.get(word, 0) for word in words]
    found += [known.get(first + second, 0) for first, second in pairwise(words)]
    return max([*found, known[whole] + 1 if whole in known else 0], default=0)


@lru_cache(10_000)
def letters_of(slot: str) -> str:
    """Return the letters and digits of the name of a slot, in lower case.

    Example:
        >>> letters_of("hotel-book people"), letters_of("Hotel.Book_People")
        ('hotelbookpeople', 'hotelbookpeople')
    """
    return "".join(parts_of(slot))


def side_of(name: str) -> int:
    """Return a number above 0 if a name says gold, below 0 if it says prediction, and 0 if it says neither.

    Example:
        >>> side_of("expectedOutput"), side_of("bs_pred"), side_of("state")
        (4, -10, 0)
    """
    return points("gold", name) - points("pred", name)


def word_of(name: Any) -> str:
    """Return a word in lower case, with an underscore for blanks and hyphens."""
    return re.sub(r"[\s-]+", "_", str(name).strip().lower())


@lru_cache(10_000)
def party_of(name: str) -> str:
    """Return who a speaker is: user, system, other, or an empty text for an unknown name. The last word of a long name decides.

    Example:
        >>> party_of("Customer"), party_of("Support Bot"), party_of("Ann (agent)"), party_of("user_message"), party_of("Ann")
        ('user', 'system', 'system', 'user', '')
    """
    words = [word for word in re.split(r"\W|_", word_of(name)) if word]
    long = [word for word in words[:-1] if len(word) > 2] if words[-1:] and words[-1] in _SPOKEN else words[-1:]
    for word in (word_of(name), *(long[-1:] if len(words) > 1 else ())):
        for party, known in (("user", USERS), ("system", SYSTEMS), ("other", OTHERS)):
            if word in known and (len(word) > 2 or word == word_of(name)):
                return party
    return ""
