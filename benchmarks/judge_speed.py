"""Speed of judges.

Run with `python benchmarks/judge_speed.py`. It prints the speed-up of Pang-C with the context computed once over the published
method (two forward passes for each of the two replies, one text at a time); the speed-up of the relevance judge in batches over
one text at a time; the operations per second of each network ÷ those of a product of matrices; the seconds of the built-in judges
for twelve attacks with 100 cases each; and the time of an LLM judge ÷ the delays of its server. What needs the weight packages is
skipped without them.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from threading import Thread

from dialmeter.errors import DialmeterError
from dialmeter.judges.ask import score_cases
from dialmeter.judges.cases import Case, Place
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move
from rows import Row, at_least, at_most, table, untargeted

WORDS = [
    "the",
    "a",
    "train",
    "hotel",
    "cheap",
    "north",
    "on",
    "monday",
    "please",
    "need",
    "want",
    "find",
    "room",
    "people",
    "table",
    "book",
    "for",
    "two",
    "which",
    "day",
    "time",
    "leave",
    "arrive",
    "phone",
    "number",
    "address",
    "is",
    "there",
    "it",
    "has",
    "parking",
    "free",
    "centre",
    "price",
    "thanks",
    "yes",
    "no",
    "can",
    "you",
    "i",
    "we",
    "would",
    "like",
    "some",
]
BUILT_IN = ("overlap", "distinct", "ngram-coherence", "ngram-fluency")
ROUNDS = 3


def utterance(draw: random.Random, least: int, most: int) -> str:
    """Return random words: the time of a judge does not depend on their meaning."""
    return " ".join(draw.choices(WORDS, k=draw.randint(least, most)))


def made(count: int, turns: int, attacks: int = 1) -> list[Case]:
    """Return cases with contexts of the given number of turns."""
    draw = random.Random(1)
    found = []
    for attack in range(attacks):
        for number in range(count):
            context = tuple(Move(("user", "system")[turn % 2], utterance(draw, 9, 15)) for turn in range(turns))
            reply, other = utterance(draw, 6, 11), utterance(draw, 6, 11)
            found.append(
                Case(f"a{attack}", "", context, reply, other, "lower", "coherence", Place(f"d{number}", turns))
            )
    return found


def paired(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Return how many times longer theirs takes: the median over rounds in which both run, so that load affects both."""
    ratios = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        ours()
        middle = time.perf_counter()
        theirs()
        ratios.append((time.perf_counter() - middle) / (middle - start))
    return median(ratios)


def pang_c() -> float:
    """Return the time of the published method ÷ ours, on pairs that share a context of at least 64 tokens."""
    import torch

    from dialmeter.judges.adapters.network import load
    from dialmeter.judges.adapters.published import coherence, weights

    judge = coherence()
    folder, gguf = weights()
    network = load("AutoModelForCausalLM", folder, gguf=gguf, device="cpu", dtype="float32")
    tokenizer, model = network.tokenizer, network.model
    cases = made(count=6, turns=7)
    items = [(case.context, reply) for case in cases for reply in (case.reply, case.adversarial)]
    joined = [" ".join(move.text for move in context) for context, _ in items]
    assert min(len(tokenizer(text)["input_ids"]) for text in joined) >= 64

    def log_p(text: str) -> float:
        ids = torch.tensor([tokenizer(text, add_special_tokens=False)["input_ids"]])
        with torch.inference_mode():
            logs = model(ids).logits[0, :-1].log_softmax(-1)
        return float(logs.gather(1, ids[0, 1:, None]).sum())

    def published() -> list[float]:
        return [log_p(f"{before} {reply}") - log_p(before) for before, (_, reply) in zip(joined, items, strict=True)]

    assert max(abs(one - two) for one, two in zip(judge.score(items), published(), strict=True)) < 0.01
    return paired(lambda: judge.score(items), published)


def relevance() -> float:
    """Return the time of one text at a time ÷ batches, on replies of up to 16 tokens."""
    from dialmeter.judges.adapters.robust import Relevance

    judge = Relevance()
    draw = random.Random(2)
    texts = [utterance(draw, 4, 14) for _ in range(256)]
    return paired(lambda: judge.vectors(texts), lambda: [judge.vectors([text]) for text in texts])


def built_in() -> float:
    """Return the seconds of all built-in judges for twelve attacks with 100 cases each, training and error rates included."""
    cases = made(count=100, turns=5, attacks=12)
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = score_judge(cases, BUILT_IN)
        assert result.averages
        assert result.comparisons
        times.append(time.perf_counter() - start)
    return min(times)


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of several rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def shares_of_product() -> dict[str, float]:
    """Return, by network, the useful operations per second of its judge ÷ those of a product of matrices, with one thread.

    Operations of padding and of contexts that are computed again are not useful.
    """
    import torch

    from dialmeter.judges.adapters.hierarchical_gru import Config, HierarchicalGru, logits_of, places_of
    from dialmeter.judges.adapters.published import coherence, fluency
    from dialmeter.judges.adapters.robust import Relevance
    from dialmeter.judges.builtin.surface import tokens

    torch.set_num_threads(1)
    one, other = torch.rand(1024, 1024), torch.rand(1024, 1024)
    with torch.inference_mode():
        peak = 2 * 1024**3 / processor_seconds(lambda: one @ other)
    items = [(case.context, reply) for case in made(16, 7) for reply in (case.reply, case.adversarial)]
    contexts = [" ".join(move.text for move in context) for context, _ in items]
    replies = [reply for _, reply in items]
    shares = {}
    for judge, encoded, headed in (
        (Relevance(), [*set(contexts), *replies], []),
        (coherence(), [*set(contexts), *replies], replies),
        (fluency(), replies, replies),
    ):
        judge.load_weights()
        model, tokenizer = judge._network.model, judge._network.tokenizer
        body = 2 * sum(each.numel() for name, each in model.named_parameters() if "embed" not in name)
        head = 2 * model.get_output_embeddings().weight.numel() if headed else 0
        work = body * sum(len(tokenizer(text)["input_ids"]) for text in encoded)
        work += head * sum(len(tokenizer(text)["input_ids"]) for text in headed)
        shares[judge.name] = work / processor_seconds(partial(judge.score, items)) / peak
    draw = random.Random(1)
    talks = [[(("user", "system")[turn % 2], utterance(draw, 9, 15)) for turn in range(8)] for _ in range(512)]
    network, places, size = HierarchicalGru(Config(len(WORDS) + 2)).eval(), places_of(WORDS), 64
    per_token, per_turn = 12 * size * 2 * size + 8 * size**2, 12 * size * 3 * size + 8 * size**2
    work = sum(per_turn + per_token * len(tokens(text)) for talk in talks for _, text in talk)
    shares["satisfaction-gru"] = work / processor_seconds(lambda: logits_of(network, places, talks)) / peak
    return shares


def language_model(replies: int = 1024, mean: float = 0.2) -> float:
    """Return the seconds of an LLM judge with 32 requests at a time ÷ the sum of the server's delays ÷ 32."""
    from dialmeter.judges.adapters.llm import LanguageModel

    draw = random.Random(3)
    delays = [draw.expovariate(1 / mean) for _ in range(replies)]
    left = iter(delays)
    answer = b'{"choices": [{"message": {"content": "{\\"score\\": 4}"}}]}'

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            time.sleep(next(left))
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        judge = LanguageModel(f"http://127.0.0.1:{server.server_port}/v1", "small", concurrency=32)
        start = time.perf_counter()
        score_cases(made(count=replies // 2, turns=1), {"llm": judge})
        seconds = time.perf_counter() - start
        judge.close()
        server.shutdown()
    return seconds / (sum(delays) / 32)


def ratios() -> list[Row]:
    """Return the rows with targets."""
    rows = []
    for name, measure, least in (
        ("published Pang-C ÷ shared context, 64 tokens and more", pang_c, 2.5),
        ("MiniLM one by one ÷ in batches, up to 16 tokens", relevance, 3.0),
    ):
        try:
            value = measure()
        except (DialmeterError, ImportError) as error:
            print(f"skipped: {name}: {error}")
            continue
        rows.append(at_least(name, value, least))
    try:
        shares = shares_of_product()
    except (DialmeterError, ImportError) as error:
        shares = {}
        print(f"skipped: networks: {error}")
    rows += [untargeted(f"{name} ÷ product of matrices, operations a second", each) for name, each in shares.items()]
    return [
        *rows,
        at_most("built-in judges, 12 attacks × 100 cases, seconds", built_in(), 5),
        at_most("LLM judge, 32 requests at a time ÷ the server's delays", language_model(), 1.5),
    ]


if __name__ == "__main__":
    print(table(ratios()))
