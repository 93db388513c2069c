"""The default tokenizer: trained once and cached per user."""

from itertools import islice
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from rowspace.errors import UsageError
from rowspace.text import cached_default_tokenizer, default_tokenizer, measure_coverage, standard_library

FEW_TEXTS = ["for key in keys: return self.key"] * 9


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rowspace"


@pytest.mark.long
def test_default_tokenizer_is_trained_on_the_standard_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cached_default_tokenizer(300) is None
    tokenizer, counts = default_tokenizer(300)
    some = measure_coverage(tokenizer, islice(standard_library(), 20))
    assert list(counts) == some.vocabulary
    assert len(counts) == 300
    assert all(0 <= few <= counts[token] for token, few in zip(some.vocabulary, some.counts.tolist(), strict=True))
    assert counts["self"] > 10_000


def test_counts_cover_all_training_texts(cache: Path) -> None:
    tokenizer, counts = default_tokenizer(280, texts=FEW_TEXTS)
    coverage = measure_coverage(tokenizer, iter(FEW_TEXTS))
    assert counts == dict(zip(coverage.vocabulary, coverage.counts.tolist(), strict=True))


def test_second_call_reads_the_cache(cache: Path) -> None:
    shares = list[float]()
    tokenizer, counts = default_tokenizer(280, on_share=shares.append, texts=FEW_TEXTS)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1
    for again, kept in (default_tokenizer(280, on_share=shares.append, texts=FEW_TEXTS), cached_default_tokenizer(280)):
        assert (again.to_str(), kept) == (tokenizer.to_str(), counts)
    assert len(shares) == 2 * len(FEW_TEXTS)
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b'{"tokenizer": "{}", "counts": []}', b"\xff"])
def test_damaged_cache_file_is_replaced(cache: Path, damage: bytes) -> None:
    _, counts = default_tokenizer(280, texts=FEW_TEXTS)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damage)
    assert cached_default_tokenizer(280) is None
    assert default_tokenizer(280, texts=FEW_TEXTS)[1] == counts
    assert kept.read_bytes() == whole


def test_unwritable_cache_is_ignored(cache: Path) -> None:
    cache.parent.write_text("no folder")
    tokenizer, _ = default_tokenizer(280, texts=FEW_TEXTS)
    assert isinstance(tokenizer, Tokenizer)


def test_vocabulary_size_below_256_is_refused(cache: Path) -> None:
    with pytest.raises(UsageError, match="vocabulary_size=100 has no room for the 256"):
        default_tokenizer(100, texts=FEW_TEXTS)
    assert not cache.exists()
