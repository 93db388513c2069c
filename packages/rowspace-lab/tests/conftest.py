"""A real table for the workbench, and a check that a page's code reproduces the page's numbers."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import rowspace as rs
from rowspace.learn.default_table import PACKAGE
from rowspace_lab.lab import Lab
from rowspace_lab.pages import PAGES
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply, decode


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[rs.Table, str]:
    """A table of the standard library, like the lab's default, and its path."""
    path = str(tmp_path_factory.mktemp("lab") / "stdlib-table")
    rs.fit(output=path, dim=20, epochs=3, workers=1, seed=1)
    return rs.load(path), path


@pytest.fixture
def lab(learned: tuple[rs.Table, str]) -> Lab:
    """A lab over that table, with an empty cache."""
    return Lab(*learned)


@pytest.fixture
def small_lab(tmp_path: Path) -> Callable[..., Lab]:
    """`small_lab(vocabulary, rows, counts=None)`: a lab over a table made for the test."""

    def make(vocabulary: list[str], rows: np.ndarray, counts: np.ndarray | None = None) -> Lab:
        path = str(tmp_path / "small-table")
        rs.Table(vocabulary, rows, counts).save(path)
        return Lab(rs.load(path), path)

    return make


@pytest.fixture
def without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the installed wheel of everyday words: packages next to it cannot be imported from now on, either."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not Path(path, PACKAGE).is_dir()])


@pytest.fixture(scope="session")
def bert_lab(tmp_path_factory: pytest.TempPathFactory, learned: tuple[rs.Table, str]) -> Lab:
    """A lab over a table like that of BERT: no counts, special and unused tokens first, a WordPiece tokenizer.

    The tokenizer is trained by Hugging Face's library; rows come from `learned` for words and are random otherwise.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", *(f"[unused{number}]" for number in range(40)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=1200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(topics.values(), trainer)
    vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    known = learned[0]
    rows = np.random.default_rng(0).normal(size=(len(vocabulary), known.dim)).astype(np.float32)
    for number, token in enumerate(vocabulary):
        rows[number] = known[token] if token in known else rows[number]
    path = str(tmp_path_factory.mktemp("bert") / "bert-table")
    rs.Table(vocabulary, rows, tokenizer=tokenizer.to_str()).save(path)
    return Lab(rs.load(path), path)


@pytest.fixture(scope="session")
def ask() -> Callable[..., Reply]:
    """`ask(lab, "words/rows", word="sin")`: the reply to a page, encoded and decoded."""

    def answer(lab: Lab, route: str, body: bytes | None = None, **parameters: object) -> Reply:
        answers = {path: answer for page in PAGES for path, answer in page.routes.items()}
        texts = {
            name: list(map(str, value if isinstance(value, list) else [value])) for name, value in parameters.items()
        }
        return decode(Reply(answers[route](lab, Query(texts, body))).encode())

    return answer


# Fields of replies that their code does not compute: the request's parameters, and data for drawing only.
SENTENCE = {"pieces", "left_out"}
SIZES = {"length", "dim", "base", "seed"}
HEAD = {"head", "heads", "head_dim", "seed"}
CONTEXT: dict[str, set[str]] = {
    "analogies/relations": {"missing"},  # pairs of the request that are not in the table
    "words/pca": {"umap"},  # of the table
    "words/chosen-map": {"groups"},  # the groups of the request
    "compare/tokens": {"refits", "can_refit"},  # of the request, and of the table
    "tokens/split": {"most", "splits"},  # the upper end of the color scale; texts and kinds of tokens
    "tokens/merges": {"joined", "utf8", "ends", "begins"},  # the animation
    "tokens/pairs": {"across"},
    "tokens/tradeoff": {"dim"},
    "tokens/comparison": {"tokenizers"},  # as in tokens/split
    "pipeline/forward": SENTENCE,
    "pipeline/distances": {*SENTENCE, "seed"},
    "pipeline/matrix": {*SENTENCE, "normalized", "untrained"},
    "pipeline/nearest": SENTENCE,
    "pipeline/tied": SENTENCE,
    "pipeline/backward": {*SENTENCE, "g"},
    "adapting/ways": {"sentences", "rank"},
    "input/parts": {
        *SENTENCE,
        "start",
        "second",
        "scaled",
        "two_segments",
        "max_positions",
        "has_norm",
        "dropout",
        "seed",
    },
    "input/concatenation": {*SENTENCE, "width"},
    "input/scale": {*SENTENCE, "norms", "dim", "start", "scale", "at"},
    "input/initial": {"dim", "states", "vocabulary"},
    "order/attention": {*SENTENCE, *HEAD, "order", "causal"},
    "order/ranking": HEAD,
    "order/saturation": {"seed", "draws", "keys"},
    "order/waves": {*SIZES, "position", "delta", "dimension"},
    "order/lengths": {*SIZES, "trained", "heads"},
    "positions/rows": SIZES,
    "positions/scores": {*SIZES, "heads", "head", "causal"},
    "positions/scaling": {*SIZES, "original", "factor", "length", "long"},
    "patches/cut": {"channels", "height", "width", "patch", "at", "dim", "unit", "seed"},
    "patches/costs": {"height", "width", "channels", "dim", "pad"},
    "patches/sequence": {"dim"},
    "patches/filters": {"patch", "channels"},
    "patches/tokens": {"height", "width", "channels"},
    "head/logits": {"dims", "dim", "trained", "bias", "temperature", "softcap"},
    "head/matrices": {"size", "trained"},
    "cost/second": {"tokens"},
    "cost/tables": {"dimension"},
    "cost/figures": {"vocabulary", "dimension", "formulas"},  # as text; `values` are their numbers
}

# Results of the code that a reply may omit.
NOT_SENT = {"vectors"}


def numbers_in(value: object) -> bool:
    """Return whether a JSON value contains a number or a boolean."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, (int, float)) or any(map(numbers_in, inside))


def check_field(made: object, reply: Reply, name: str) -> None:
    """Check that a field of a reply equals the code's result."""
    if name not in reply.arrays:
        made = decode(Reply({"made": plain(made)}).encode()).meta["made"]  # as JSON represents it
        assert reply.meta[name] == made, (
            f"{name} is {str(reply.meta[name])[:200]}, but its code makes {str(made)[:200]}"
        )
        return
    sent, array = reply.arrays[name], np.asarray(made)
    assert array.shape == sent.shape, f"{name} has shape {sent.shape}, but its code makes {array.shape}"
    np.testing.assert_array_equal(array.astype(sent.dtype), sent, err_msg=name)


@pytest.fixture(scope="session")
def check_code(ask: Callable[..., Reply]) -> Callable[..., Reply]:
    """`check_code(lab, route, **parameters)`: check that the shown code computes every array and number of the reply.

    Fields listed in `CONTEXT` are exempt.
    """

    def check(lab: Lab, route: str, **parameters: object) -> Reply:
        reply = ask(lab, route, **parameters)
        figure = figure_of(reply.meta["code"])
        numbers = {name for name, value in reply.meta.items() if numbers_in(value)}
        missing = {*reply.arrays, *numbers} - figure.keys() - CONTEXT.get(route, set())
        assert not missing, f"the code of {route} does not compute {sorted(missing)}"
        for name, made in figure.items():
            if name not in NOT_SENT or name in reply.arrays:
                check_field(made, reply, name)
        return reply

    return check


def figure_of(code: str) -> dict[str, object]:
    """Run the code of figures, and return the result of the last one."""
    names: dict[str, dict[str, object]] = {}
    exec(code, names)  # generated by the lab
    return names[re.findall(r"^(\w+) = \1_figure\(", code, re.MULTILINE)[-1]]


def plain(value: object) -> object:
    """Convert arrays and tensors to lists and numbers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
