"""The same conversations in every format: each writer takes the texts of dialogues and returns the content of a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from dialmeter.errors import InputError
from dialmeter.model import Conversation
from dialmeter.readers.conversations import open_conversations

Talks = list[list[str]]

TALKS: Talks = [
    ["Is the bakery open on Sundays?", "Only in the morning.", "Thanks, that will do."],
    ["Good evening.", "Good evening, how can I help?"],
]
_SIDES = ("user", "system")


class Layout(NamedTuple):
    """A format, its writer, and its properties."""

    form: str
    write: Callable[[Talks], str]
    keeps_empty: bool = True
    """True if an utterance without text is a move."""


def _json(thing: Any) -> str:
    return json.dumps(thing, indent=1, ensure_ascii=False)


def _lines(things: list[Any]) -> str:
    return "".join(json.dumps(thing, ensure_ascii=False) + "\n" for thing in things)


def _numbered(talks: Talks, moves: Callable[[list[str]], Any], key: str, **more: Any) -> list[Any]:
    return [{"dialogue_id": f"d{place}", **more, key: moves(texts)} for place, texts in enumerate(talks, 1)]


def _native(texts: list[str]) -> Any:
    return [{"speaker": _SIDES[place % 2], "text": text} for place, text in enumerate(texts)]


def _states(texts: list[str]) -> Any:
    pairs = zip_longest(["", *texts[1::2]], texts[::2], fillvalue="")
    return [{"turn": place, "system": system, "user": user} for place, (system, user) in enumerate(pairs)]


def _framed(texts: list[str]) -> Any:
    return [
        {"speaker": _SIDES[place % 2].upper(), "utterance": text, "frames": [{"service": "hotel", "actions": []}]}
        for place, text in enumerate(texts)
    ]


def _unified(texts: list[str]) -> Any:
    return [
        {"speaker": _SIDES[place % 2], "utterance": text, "utt_idx": place, "dialogue_acts": {"binary": []}}
        for place, text in enumerate(texts)
    ]


def _multiwoz(talks: Talks) -> str:
    logs = [[{"text": text, "metadata": {}} for text in texts] for texts in talks]
    return _json({f"MUL{place}.json": {"goal": {}, "log": log} for place, log in enumerate(logs)})


def _taskmaster(talks: Talks) -> list[Any]:
    return [
        {
            "conversation_id": f"dlg-{place}",
            "utterances": [
                {"index": index, "speaker": ("USER", "ASSISTANT")[index % 2], "text": text}
                for index, text in enumerate(texts)
            ],
        }
        for place, texts in enumerate(talks)
    ]


def _messages(texts: list[str]) -> list[Any]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def _tau(talks: Talks) -> str:
    task = {"instruction": "You want bread.", "actions": [], "outputs": []}
    return _json(
        [
            {"task_id": place, "reward": 1.0, "info": {"task": task}, "traj": _messages(texts), "trial": 0}
            for place, texts in enumerate(talks)
        ]
    )


def _tau2(talks: Talks) -> str:
    simulations = [
        {"task_id": str(place), "trial": 0, "messages": _messages(texts), "termination_reason": "user_stop"}
        for place, texts in enumerate(talks)
    ]
    return _json({"info": {"agent_info": {}}, "tasks": [], "simulations": simulations})


def _inspect(talks: Talks) -> str:
    samples = [{"id": place, "epoch": 1, "messages": _messages(texts)} for place, texts in enumerate(talks)]
    return _json({"version": 2, "status": "success", "eval": {"task": "bread"}, "samples": samples})


def _parlai(talks: Talks) -> str:
    lines = []
    for texts in talks:
        lines += ["1 your persona: i keep bees.", "2 partner's persona: i bake."]
        for place in range(0, len(texts), 2):
            reply = f"\t{texts[place + 1]}\t\tone|two" if place + 1 < len(texts) else ""
            lines.append(f"{3 + place // 2} {texts[place]}{reply}")
    return "\n".join(lines) + "\n"


def _histories(talks: Talks) -> list[Any]:
    return [
        {
            "personality": ["i keep bees."],
            "utterances": [
                {"candidates": ["no", texts[place]], "history": texts[:place]} for place in range(len(texts))
            ],
        }
        for texts in talks
    ]


def _satisfaction(talks: Talks) -> str:
    blocks = []
    for texts in talks:
        rows = [
            f"{_SIDES[place % 2].upper()}\t{text}\t{'' if place else 'general-greet'}\t{'' if place % 2 else '3,4,3'}"
            for place, text in enumerate(texts)
        ]
        blocks.append("\n".join([*rows, "USER\tOVERALL\t\t2,3,4"]))
    return "\n" + "\n\n".join(blocks) + "\n"


def _thread(texts: list[str]) -> str:
    return "\t".join([" EOS ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


LAYOUTS: dict[str, Layout] = {
    "native": Layout("native", lambda talks: _lines(_numbered(talks, _native, "talk"))),
    "states": Layout("states", lambda talks: _lines(_numbered(talks, _states, "turns")), keeps_empty=False),
    "gcdf1": Layout("gcdf1", lambda talks: _json(_numbered(talks, _framed, "turns", goal={"hotel": {}}))),
    "sgd": Layout("sgd", lambda talks: _json(_numbered(talks, _framed, "turns", services=["hotel"]))),
    "sgd lines": Layout("sgd", lambda talks: _lines(_numbered(talks, _framed, "turns"))),
    "convlab3": Layout("convlab3", lambda talks: _json(_numbered(talks, _unified, "turns", goal={"inform": {}}))),
    "convlab3 lines": Layout("convlab3", lambda talks: _lines(_numbered(talks, _unified, "turns"))),
    "multiwoz": Layout("multiwoz", _multiwoz),
    "taskmaster": Layout("taskmaster", lambda talks: _json(_taskmaster(talks))),
    "taskmaster lines": Layout("taskmaster", lambda talks: _lines(_taskmaster(talks))),
    "tau-bench": Layout("tau-bench", _tau, keeps_empty=False),
    "tau2-bench": Layout("tau2-bench", _tau2, keeps_empty=False),
    "inspect": Layout("inspect", _inspect, keeps_empty=False),
    "chat, lists": Layout("chat", lambda talks: _json([_messages(texts) for texts in talks])),
    "chat, messages": Layout("chat", lambda talks: _json([{"messages": _messages(texts)} for texts in talks])),
    "chat lines": Layout("chat", lambda talks: _lines([{"messages": _messages(texts)} for texts in talks])),
    "chat lines of lists": Layout("chat", lambda talks: _lines([_messages(texts) for texts in talks])),
    "personachat": Layout("personachat", _parlai),
    "personachat splits": Layout("personachat", lambda talks: _json({"train": _histories(talks), "valid": []})),
    "personachat list": Layout("personachat", lambda talks: _json(_histories(talks))),
    "personachat lines": Layout("personachat", lambda talks: _lines(_histories(talks))),
    "satisfaction": Layout("satisfaction", _satisfaction),
    "dailydialog": Layout(
        "dailydialog", lambda talks: "".join("".join(f"{text} __eou__ " for text in texts) + "\n" for texts in talks)
    ),
    "reddit": Layout("reddit", lambda talks: "".join(_thread(texts) + "\n" for texts in talks)),
    "plain": Layout("plain", lambda talks: "\n\n".join("\n".join(texts) for texts in talks), keeps_empty=False),
    "plain, labelled": Layout(
        "plain",
        lambda talks: "\n\n".join(
            "\n".join(f"{('User', 'System')[place % 2]}: {text}" for place, text in enumerate(texts)) for texts in talks
        ),
    ),
}


def write(folder: Path, label: str, talks: Talks = TALKS) -> Path:
    """Write the conversations to one file in the format with that label."""
    path = folder / "file"
    path.write_text(LAYOUTS[label].write(talks), encoding="utf-8", newline="")
    return path


def read_all(path: str | Path, form: str | None = None) -> list[Conversation]:
    """Read all conversations of a file without errors."""
    file = open_conversations(path, form)
    found = list(file)
    assert not file.refused
    return found


def outcome(path: Path, form: str | None = None) -> tuple[list[Conversation], list[InputError]]:
    """Read a file that may be invalid. Return its conversations and all messages."""
    try:
        file = open_conversations(path, form)
        return list(file), file.refused
    except InputError as error:
        return [], [error]


def texts_of(found: list[Conversation]) -> Talks:
    """The texts of each conversation."""
    return [[move.text for move in talk.moves] for talk in found]


def complaints(path: Path, form: str | None = None) -> list[str]:
    """The one-line errors of the invalid dialogues of a file, without the file name."""
    file = open_conversations(path, form)
    list(file)
    said = [str(error) for error in file.refused]
    assert all("\n" not in each and each.startswith(f"{file.name}: ") for each in said)
    return [each.removeprefix(f"{file.name}: ") for each in said]
