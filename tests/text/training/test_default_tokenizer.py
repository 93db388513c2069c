"""The standard tokenizer: learned once, and kept where the user keeps such things."""

from itertools import islice
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from rowspace.errors import UsageError
from rowspace.text import cached_default_tokenizer, default_tokenizer, measure_coverage, standard_library

FEW = ["for key in keys: return self.key"] * 9


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of a cache of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rowspace"


@pytest.mark.long
def test_it_is_learned_from_the_standard_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cached_default_tokenizer(300) is None
    tokenizer, counts = default_tokenizer(300)
    some = measure_coverage(tokenizer, islice(standard_library(), 20))
    assert list(counts) == some.vocabulary
    assert len(counts) == 300
    assert all(0 <= few <= counts[token] for token, few in zip(some.vocabulary, some.counts.tolist(), strict=True))
    assert counts["self"] > 10_000


def test_counts_are_of_all_that_was_read(cache: Path) -> None:
    tokenizer, counts = default_tokenizer(280, texts=FEW)
    coverage = measure_coverage(tokenizer, iter(FEW))
    assert counts == dict(zip(coverage.vocabulary, coverage.counts.tolist(), strict=True))


def test_the_second_time_reads_what_was_kept(cache: Path) -> None:
    shares = list[float]()
    tokenizer, counts = default_tokenizer(280, on_share=shares.append, texts=FEW)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1
    for again, kept in (default_tokenizer(280, on_share=shares.append, texts=FEW), cached_default_tokenizer(280)):
        assert (again.to_str(), kept) == (tokenizer.to_str(), counts)
    assert len(shares) == 2 * len(FEW)
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b'{"tokenizer": "{}", "counts": []}', b"\xff"])
def test_a_damaged_file_is_made_anew(cache: Path, damage: bytes) -> None:
    _, counts = default_tokenizer(280, texts=FEW)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damage)
    assert cached_default_tokenizer(280) is None
    assert default_tokenizer(280, texts=FEW)[1] == counts
    assert kept.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path) -> None:
    cache.parent.write_text("no folder")
    tokenizer, _ = default_tokenizer(280, texts=FEW)
    assert isinstance(tokenizer, Tokenizer)


def test_a_size_without_room_is_refused(cache: Path) -> None:
    with pytest.raises(UsageError, match="vocabulary_size=100 has no room for the 256"):
        default_tokenizer(100, texts=FEW)
    assert not cache.exists()
