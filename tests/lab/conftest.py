"""A real table for the workbench, and the check that a page's code gives the page's numbers."""

from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import rowspace as rs
from rowspace.lab.app import PAGES
from rowspace.lab.query import Query
from rowspace.lab.reply import Reply, decode
from rowspace.lab.state import Lab


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[rs.Table, str]:
    """A table of the standard library's words, as `rowspace lab` opens one, and its path."""
    path = str(tmp_path_factory.mktemp("lab") / "stdlib-table")
    rs.fit(output=path, dim=20, epochs=3, workers=1, seed=1)
    return rs.load(path), path


@pytest.fixture
def lab(learned: tuple[rs.Table, str]) -> Lab:
    """A lab over that table, with nothing made yet."""
    return Lab(*learned)


@pytest.fixture
def small_lab(tmp_path: Path) -> Callable[..., Lab]:
    """`small_lab(vocabulary, rows, counts=None)`: a lab over a table made for the test."""

    def make(vocabulary: list[str], rows: np.ndarray, counts: np.ndarray | None = None) -> Lab:
        path = str(tmp_path / "small-table")
        rs.Table(vocabulary, rows, counts).save(path)
        return Lab(rs.load(path), path)

    return make


@pytest.fixture(scope="session")
def bert_lab(tmp_path_factory: pytest.TempPathFactory, learned: tuple[rs.Table, str]) -> Lab:
    """A lab over a table as BERT's are: no counts, special and unused tokens first, and a WordPiece tokenizer.

    The tokenizer is trained by Hugging Face's library; a word has its row in `learned`, anything else a random one.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
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
    """`ask(lab, "words/rows", word="sin")`: what the page is told, through the bytes that it is told in."""

    def answer(lab: Lab, route: str, body: bytes = b"", **parameters: object) -> Reply:
        answers = {path: answer for routes in PAGES.values() for path, answer in routes.items()}
        given = {
            name: list(map(str, value if isinstance(value, list) else [value])) for name, value in parameters.items()
        }
        return decode(answers[route](lab, Query(given, body)).encode())

    return answer


@pytest.fixture(scope="session")
def check_code(ask: Callable[..., Reply]) -> Callable[..., Reply]:
    """`check_code(lab, route, **parameters)`: run the code that the page shows, and compare each array it makes."""

    def check(lab: Lab, route: str, **parameters: object) -> Reply:
        reply = ask(lab, route, **parameters)
        names: dict[str, object] = {}
        exec(reply.meta["code"], names)  # noqa: S102  # our own code, as a reader would paste it
        shown = [name for name in reply.arrays if name in names]
        assert shown, f"the code of {route} makes none of {list(reply.arrays)}"
        for name in shown:
            made = np.asarray(names[name])
            np.testing.assert_array_equal(made.astype(reply.arrays[name].dtype), reply.arrays[name])
        return reply

    return check
