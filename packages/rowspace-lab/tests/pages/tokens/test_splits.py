"""The Tokens page's numbers equal those of `rowspace.text`; tables without a tokenizer."""

from collections.abc import Callable
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.errors import CorpusError, FileFormatError, UsageError
from rowspace.text import (
    TokenizerOptions,
    default_tokenizer,
    measure_coverage,
    standard_library,
    train_tokenizer,
    truncate_vocabulary,
)
from rowspace_lab.lab import Lab
from rowspace_lab.pages.tokens.sources import JOB_KINDS, Source, source_of
from rowspace_lab.server.reply import Reply

AWKWARD = [
    "",
    " ",
    "שלום עולם",
    "🙂👩‍👩‍👧",
    "e\u0301 \u0301a",
    "<script>alert(1)</script>",
    "a\0b",
    "x" * 1000,
    "\ud800",
]

Ask = Callable[..., Reply]


@pytest.fixture(scope="module")
def tokenizer_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache with a tokenizer learned quickly from part of the standard library."""
    folder = str(tmp_path_factory.mktemp("learned"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", folder)
        default_tokenizer(texts=islice(standard_library(), 20))
    return folder


@pytest.fixture(autouse=True)
def with_a_tokenizer(tokenizer_cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", tokenizer_cache)


@pytest.fixture
def nothing_learned(with_a_tokenizer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def pieces_lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A table of byte pairs, with counts and a special token."""
    texts = list(islice(standard_library(), 20))
    options = TokenizerOptions("bpe", vocabulary_size=600, special=["<pad>"])
    text = train_tokenizer(iter(texts), options)
    coverage = measure_coverage(Tokenizer.from_str(text), iter(texts))
    path = str(tmp_path_factory.mktemp("pieces") / "table")
    rs.Table(coverage.vocabulary, np.ones((len(coverage.counts), 2)), coverage.counts, tokenizer=text).save(path)
    return Lab(rs.load(path), path)


def test_code_reproduces_the_reply(lab: Lab, pieces_lab: Lab, check_code: Ask) -> None:
    for route in ("tokens/split", "tokens/merges"):
        check_code(lab, route)
        check_code(pieces_lab, route)
    for text in AWKWARD:
        check_code(pieces_lab, "tokens/split", text=text, sizes="512,600")
        check_code(pieces_lab, "tokens/merges", text=text, tokenizer="table")
        check_code(lab, "tokens/merges", text=text)


@pytest.mark.usefixtures("nothing_learned")
def test_default_tokenizer_is_learned_by_a_job(small_lab: Callable[..., Lab], ask: Ask, check_code: Ask) -> None:
    lab = small_lab(["a"], np.ones((1, 1)))
    for name in ("table", "default"):
        assert ask(lab, "tokens/source", tokenizer=name).meta["found"] is None
    reports = list(JOB_KINDS["default-tokenizer"].run(texts=islice(standard_library(), 20)))
    assert [report.fraction for report in reports] == sorted(report.fraction for report in reports)
    assert reports[-1] == (1.0, "100 % read, the first half for learning, the second for counting")
    default = ask(lab, "tokens/source", tokenizer="default").meta["found"]
    assert default["kind"] == "bpe"
    assert default["sizes"][:3] == [256, 512, 1024]
    assert default["shown"] == [default["sizes"][0], *default["shown"][1:3], default["sizes"][-1]]
    reply = check_code(lab, "tokens/split")  # the default for a table without a tokenizer
    assert reply.meta["tokenizer"] == "default"
    assert reply.arrays["counts"].min() > 0
    check_code(lab, "tokens/merges", tokenizer="default", text="unbelievable")


@pytest.mark.usefixtures("nothing_learned")
def test_failed_learning_reports_its_cause(tmp_path: Path) -> None:
    texts = chain.from_iterable(map(standard_library, [tmp_path]))  # raises on reading
    with pytest.raises(CorpusError, match="this Python has no source of its standard library"):
        list(JOB_KINDS["default-tokenizer"].run(texts=texts))


@pytest.mark.usefixtures("nothing_learned")
def test_wait_returns_the_default_tokenizer(small_lab: Callable[..., Lab], pieces_lab: Lab, ask: Ask) -> None:
    lab = small_lab(["a"], np.ones((1, 1)))
    lab.cached(("tokens", "default"), lambda: source_of(pieces_lab, "table"))  # learning takes seconds
    assert ask(lab, "tokens/source", tokenizer="default").meta["found"] is None
    assert ask(lab, "tokens/source", tokenizer="default", wait="true").meta["found"]["kind"] == "bpe"


def test_large_vocabulary_has_only_its_full_size(pieces_lab: Lab, ask: Ask) -> None:
    fresh = Lab(pieces_lab.table, pieces_lab.path)
    tokenizer = source_of(pieces_lab, "table").tokenizer
    fresh.cached(("tokens", "table"), lambda: Source(tokenizer, None, max_truncated=599))
    assert ask(fresh, "tokens/source").meta["found"] == {"kind": "bpe", "sizes": [600], "shown": [600]}
    assert [split["size"] for split in ask(fresh, "tokens/split").meta["splits"]] == [600]


def test_damaged_tokenizer_is_an_error(ask: Ask) -> None:
    table = rs.Table(["a"], np.ones((1, 1)), tokenizer="{}")
    with pytest.raises(FileFormatError, match="the table's tokenizer: does not open as a tokenizer"):
        ask(Lab(table, "none"), "tokens/source")


def test_pieces_join_to_the_text(pieces_lab: Lab, ask: Ask) -> None:
    for text in ["return naïvely", " two  blanks", "tab\tand\nline"]:
        reply = ask(pieces_lab, "tokens/split", text=text, sizes="600")
        (split,) = reply.meta["splits"]
        shown = "".join(split["texts"])
        assert shown == text or "⟨" in shown
        assert split["bytes_per_token"] == len(text.encode()) / len(split["tokens"])
        coverage = measure_coverage(Tokenizer.from_str(str(pieces_lab.table.tokenizer)), iter([text]))
        assert split["tokens_per_word"] == coverage.tokens_per_word


def test_ids_and_counts_equal_those_of_the_table(pieces_lab: Lab, ask: Ask) -> None:
    reply = ask(pieces_lab, "tokens/split", text="self.value = 3", sizes="600")
    table = pieces_lab.table
    assert [table.vocabulary[number] for number in reply.arrays["ids"]] == reply.meta["splits"][0]["tokens"]
    assert table.counts is not None
    assert reply.arrays["counts"].tolist() == table.counts[reply.arrays["ids"]].tolist()
    assert reply.meta["most"] == table.counts.max()
    assert ask(pieces_lab, "tokens/split", sizes="257,600").meta["most"] > 10 * table.counts.max()


def test_special_and_unknown_tokens_have_different_kinds(lab: Lab, pieces_lab: Lab, ask: Ask) -> None:
    special = ask(pieces_lab, "tokens/split", text="<pad>self", sizes="600").meta["splits"][0]
    assert special["kinds"] == ["special", ""]
    assert special["texts"] == ["<pad>", "self"]
    unknown = ask(lab, "tokens/split", text="return Zyzzyva").meta["splits"][-1]
    assert unknown["kinds"] == ["", "unknown"]
    assert unknown["texts"] == ["return", "Zyzzyva"]


def test_missing_counts_are_reported_as_minus_one(tmp_path: Path, ask: Ask, pieces_lab: Lab) -> None:
    table = pieces_lab.table
    path = str(tmp_path / "table")
    rs.Table(list(table.vocabulary), np.ones((len(table), 1)), tokenizer=table.tokenizer).save(path)
    reply = ask(Lab(rs.load(path), path), "tokens/split")
    assert set(reply.arrays["counts"].tolist()) == {-1}
    assert reply.meta["most"] is None


def test_smaller_size_truncates_the_vocabulary(pieces_lab: Lab, ask: Ask) -> None:
    reply = ask(pieces_lab, "tokens/split", text="an expression", sizes="512")
    cut = truncate_vocabulary(Tokenizer.from_str(str(pieces_lab.table.tokenizer)), 512)
    assert reply.meta["splits"][0]["tokens"] == cut.encode("an expression").tokens


def test_merges_of_the_lesson(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "tokens/merges", text="the cat sat on the mat the cat")
    assert reply.meta["merges"][:3] == [["a", "t", "at"], ["t", "h", "th"], ["th", "e", "the"]]
    assert reply.arrays["counts"].tolist()[:3] == [4, 3, 3]
    assert _after(reply, 0) == "t h e|c a t|s a t|o n|t h e|m a t|t h e|c a t"
    assert _after(reply, 3) == "the|c at|s at|o n|the|m at|the|c at"


def test_last_step_equals_the_tokenizers_split(pieces_lab: Lab, ask: Ask) -> None:
    reply = ask(pieces_lab, "tokens/merges", text="an expression", tokenizer="table")
    split = ask(pieces_lab, "tokens/split", text="an expression", sizes="600").meta["splits"][0]
    assert _after(reply, 10**6).split(" ") == "".join(f"{text} " for text in split["texts"])[:-1].split(" ")


def _after(reply: Reply, step: int) -> str:
    """The tokens after a step as the page shows them: separated by blanks, with a bar at each start of a word."""
    ends = [0, *reply.arrays["ends"].tolist()]
    symbols = [reply.arrays["utf8"].tobytes()[a:b].decode() for a, b in pairwise(ends)]
    shown = ""
    for symbol, joined, begins in zip(symbols, reply.arrays["joined"], reply.arrays["begins"], strict=True):
        shown += ("|" if begins else "" if 0 < joined <= step else " ") + symbol
    return shown.lstrip("| ")


@pytest.mark.long
@pytest.mark.parametrize("text", [*AWKWARD, "\ud800"])
def test_awkward_text(lab: Lab, pieces_lab: Lab, ask: Ask, text: str) -> None:
    for source in (lab, pieces_lab):
        split = ask(source, "tokens/split", text=text)
        assert len(split.arrays["ids"]) == sum(split.arrays["num_tokens"])
        assert len(ask(source, "tokens/merges", text=text).arrays["joined"]) == len("".join(text.split()))
    found = ask(pieces_lab, "tokens/merges", text=text, tokenizer="table")
    assert found.arrays["utf8"].tobytes().decode() == text.replace("\ud800", "�")


@pytest.mark.parametrize(
    ("route", "parameters", "message"),
    [
        ("tokens/split", {"text": "x" * 1001}, "text must have at most 1,000 characters"),
        ("tokens/split", {"tokenizer": "mine"}, "tokenizer must be one of table, default, not 'mine'"),
        ("tokens/split", {"sizes": "512,301"}, "sizes must be some of .*, not 301"),
        ("tokens/split", {"sizes": "1,2,3,4,5,6,7"}, "sizes must be at most 6 comma-separated numbers"),
        ("tokens/merges", {"tokenizer": "table"}, "only byte-pair encoding .* has merges, .* kind WordLevel"),
    ],
)
def test_invalid_parameters_are_refused(
    lab: Lab, ask: Ask, route: str, parameters: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(lab, route, **parameters)


def test_table_without_a_tokenizer_is_an_error(small_lab: Callable[..., Lab], ask: Ask) -> None:
    with pytest.raises(UsageError, match="this table has no tokenizer; use tokenizer=default"):
        ask(small_lab(["a"], np.ones((1, 1))), "tokens/split", tokenizer="table")


def test_unknown_tokens_are_not_counted_as_pieces(bert_lab, ask) -> None:
    vocabulary = bert_lab.table.vocabulary
    splits = ask(bert_lab, "tokens/split", text="the unbelievable function").meta["splits"]
    small, large = splits[0], splits[-1]
    assert small["size"] < 100 < large["size"] == len(vocabulary)
    assert small["tokens"] == ["[UNK]"] * 3
    assert (small["unknown"], small["unknown_share"]) == (3, 1.0)
    assert (small["tokens_per_word"], small["bytes_per_token"]) == (None, None)
    assert (large["unknown"], large["unknown_share"]) == (0, 0.0)
    assert large["tokens_per_word"] == len(large["tokens"]) / 3


def test_default_text_suits_the_table_and_not_the_tokenizer(bert_lab, lab, small_lab, ask) -> None:
    words = small_lab(["cat", "dog"], np.eye(2))  # without a tokenizer, so that the default one splits the text
    assert ask(bert_lab, "tokens/split").meta["text"] == "The unbelievable cat sat on the mat"
    assert ask(words, "tokens/split").meta["text"] == "The unbelievable cat sat on the mat"
    assert "TypeError" in ask(lab, "tokens/split").meta["text"]
