"""Any text classifier, reward model or sentence encoder of the transformers library as a judge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from ...errors import DialmeterError, InputError, did_you_mean, one_line
from ...readers.source import Source
from ...readers.strict_json import REFUSALS
from ..judge import FACETS, Item
from .network import NetworkJudge, check_choice, check_folder, in_batches, load_config, padded, sentence_vectors

_BATCH = 16
_LONGEST = 512
_CLASSIFIER = "ForSequenceClassification"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
Row: TypeAlias = dict[str, list[int]]
"""The inputs of a model, by name."""

TASKS = ("classification", "reward", "similarity")
INPUTS = ("pair", "reply", "chat")


class HuggingFace(NetworkJudge):
    """A text-classification, reward or similarity model in a local folder or on the hub.

    - ``classification``: the probability of ``label``. If the labels are numbers, as in *4 stars*: their mean, weighted by their
      probabilities.
    - ``reward``: the single output of the model.
    - ``similarity``: the cosine of the vectors of context and reply.

    Args:
        model: a folder, or the id of a model on the hub.
        task: one of the three tasks; default: detected from the model.
        label: the class whose probability is the score.
        inputs: ``pair`` (context and reply as two texts), ``reply`` (the reply alone), or ``chat`` (the chat template of the model).
            Default: ``chat`` for reward models with a template, and ``pair`` for others.
        turns: the number of last turns of the context to use; 0 for all. A long context is cut at the start.
        pooling: for similarity models: ``mean`` over tokens, or ``cls`` for the first token.
        higher_is_better: false for a model of something bad, such as toxicity.
        facets: the facets that it claims to judge, separated by +; default: all.
        device: the device of the model.
        dtype: the number type.
    """

    batch_size = 64
    english = False  # nobody knows which languages it was trained on

    def __init__(
        self,
        model: str,
        *,
        task: str = "",
        label: str = "",
        inputs: str = "",
        turns: int = 0,
        pooling: str = "mean",
        higher_is_better: bool = True,
        facets: str = "",
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        check_choice("hf", "task", task, ("", *TASKS))
        check_choice("hf", "inputs", inputs, ("", *INPUTS))
        check_choice("hf", "pooling", pooling, ("mean", "cls"))
        self._task = task or _task_of(model)
        self._label, self._inputs, self._turns, self._pooling = label, inputs, turns, pooling
        kind = "AutoModel" if self._task == "similarity" else f"AutoModel{_CLASSIFIER}"
        given = {"task": (task, ""), "label": (label, ""), "inputs": (inputs, ""), "turns": (turns, 0)}
        given["pooling"] = (pooling, "mean")
        super().__init__(kind, model, "hf", device=device, dtype=dtype, given=given)
        self.higher_is_better = higher_is_better
        self.facets = frozenset(facets.split("+")) if facets else None
        for facet in sorted(self.facets or ()):
            check_choice("hf", "facets", facet, FACETS)

    def load_weights(self) -> None:
        """Load the weights, and check that the label exists."""
        super().load_weights()
        if self._task != "similarity":
            self._class_weights()

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        texts = [("\n".join(move.text for move in context[-self._turns :]), reply) for context, reply in items]
        if self._task == "similarity":
            vectors = self._vectors([text for pair in texts for text in pair])
            return [float(vectors[number] @ vectors[number + 1]) for number in range(0, 2 * len(texts), 2)]
        return self._classify(
            [self._row(item, before, reply) for item, (before, reply) in zip(items, texts, strict=True)]
        )

    def _class_weights(self) -> dict[int, float] | None:
        """The weight of each class in the score; None if the model has a single output."""
        config = self._network.model.config
        if config.num_labels == 1:
            return None
        names = {str(name): int(place) for place, name in config.id2label.items()}
        if self._label:
            if self._label not in names:
                raise DialmeterError(f"{self.name}: no label {self._label!r}; {did_you_mean(self._label, names)}")
            return {names[self._label]: 1.0}
        numbers = {place: _NUMBER.findall(name) for name, place in names.items()}
        if any(name.upper().startswith("LABEL_") for name in names) or any(len(each) != 1 for each in numbers.values()):
            labels = one_line(", ".join(names), 200)
            raise DialmeterError(f"{self.name}: set the label whose probability is the score, as in label=…: {labels}")
        return {place: float(each[0]) for place, each in numbers.items()}

    def _row(self, item: Item, before: str, reply: str) -> Row:
        tokenizer = self._network.tokenizer
        has_template = bool(getattr(tokenizer, "chat_template", None))
        inputs = self._inputs or ("chat" if self._task == "reward" and has_template else "pair")
        if inputs == "chat":
            if not has_template:
                raise DialmeterError(f"{self.name}: the model has no chat template; use inputs=pair")
            return _chat(tokenizer, item, self._turns)
        room = _room(tokenizer)
        if inputs == "reply":
            return _encode(tokenizer, reply, room=room)
        length = len(tokenizer(reply, add_special_tokens=False)["input_ids"])
        return _encode(tokenizer, _end_of(before, tokenizer, max(1, room - length - 4)), reply, room=room)

    def _classify(self, rows: Sequence[Row]) -> list[float]:
        model, weights = self._network.model, self._class_weights()

        def scores(batch: list[int]) -> Iterator[float]:
            inputs = {
                name: padded([rows[number][name] for number in batch], model.device)[0] for name in rows[batch[0]]
            }
            mask = padded([rows[number]["input_ids"] for number in batch], model.device)[1]
            if len(batch) > 1:
                inputs["input_ids"] = inputs["input_ids"].masked_fill(mask == 0, model.config.pad_token_id)
            logits = model(**inputs, attention_mask=mask).logits.float()
            for share, [first, *_] in zip(logits.softmax(dim=-1).tolist(), logits.tolist(), strict=True):
                yield first if weights is None else fsum(share[place] * weight for place, weight in weights.items())

        # Without a padding token, rows of different length cannot share a batch. Each row is a batch.
        size = 1 if getattr(model.config, "pad_token_id", None) is None else _BATCH
        return in_batches([len(row["input_ids"]) for row in rows], size, scores)

    def _vectors(self, texts: Sequence[str]) -> Any:
        tokenizer = self._network.tokenizer
        room = _room(tokenizer)
        ends = [_end_of(text, tokenizer, room - 4) for text in texts]
        rows = [_encode(tokenizer, text, room=room)["input_ids"] for text in ends]
        if not all(rows):
            raise DialmeterError("an empty text has no vector")
        return sentence_vectors(self._network.model, rows, _BATCH, self._pooling)


def _encode(tokenizer: Any, *texts: str, room: int) -> Row:
    """Tokenise one or two texts. Some models also take ``token_type_ids``, which assign each token to its text."""
    encoding = tokenizer(*texts, truncation=True, max_length=room)
    return {name: list(encoding[name]) for name in ("input_ids", "token_type_ids") if name in encoding}


def _end_of(text: str, tokenizer: Any, most: int) -> str:
    """The end of a text, with at most ``most`` tokens."""
    spans = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return text[spans[-most][0] :] if len(spans) > most else text


def _room(tokenizer: Any) -> int:
    return int(min(_LONGEST, tokenizer.model_max_length))


def _chat(tokenizer: Any, item: Item, turns: int) -> Row:
    """Format the conversation with the model's chat template. The assistant is the speaker of the reply."""
    context, reply = item
    other = context[-1].speaker if context else ""
    messages: list[dict[str, str]] = []
    for move in context[-turns:]:
        role = "user" if move.speaker == other else "assistant"
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += "\n" + move.text
        elif messages or role == "user":  # Templates require that the user speaks first.
            messages.append({"role": role, "content": move.text})
    text = tokenizer.apply_chat_template([*messages, {"role": "assistant", "content": reply}], tokenize=False)
    return {"input_ids": list(tokenizer(text, add_special_tokens=False)["input_ids"])}


def _task_of(model: str) -> str:
    """Detect the task of a model from its configuration."""
    check_folder(model)
    config = Path(model) / "config.json"
    if config.is_file():
        try:
            fields = msgspec.json.decode(Source(config).read_all(), type=dict[str, Any])
        except (InputError, *REFUSALS) as error:
            raise DialmeterError(f"model {model}: cannot read config.json: {one_line(str(error), 200)}") from None
        names, labels = fields.get("architectures") or [], fields.get("id2label") or {}
        count = len(labels) or int(fields.get("num_labels") or 2)
    else:
        loaded = load_config(model)
        names, count = loaded.architectures or [], loaded.num_labels
    if any(_CLASSIFIER in str(name) for name in names):
        return "reward" if count == 1 else "classification"
    return "similarity"
