"""Tokens must be those of gensim's `utils`, for any text."""

import inspect

import gensim.utils as theirs
import pytest

from rowspace.compat.gensim import utils as ours

TEXTS = (
    "",
    "The quick_brown _fox_ __ jumps2over 3 dogs a bc " + "x" * 15 + " " + "y" * 16,
    "naïve Škoda ÅNGSTRÖM Straße ẞ İstanbul ﬁn e\u0301te\u0301",
    "日本語 テキスト 한국어 가 हिन्दी मराठी",
    "السَّلامُ عَلَيْكُمْ ١٢٣ שָׁלוֹם",
    "😀cat👍🏽dog x²y ½ Ⅷ ٣ v1.2 can't e-mail\x00nul\u200bzero\xa0blank",
    b"caf\xc3\xa9 42",
)


def test_tokens_equal_gensims():
    for text in TEXTS:
        assert ours.deaccent(text) == theirs.deaccent(text), text
        for deacc in (False, True):
            for limits in ({}, {"min_len": 1}, {"min_len": 0, "max_len": 3}):
                found = (each.simple_preprocess(text, deacc=deacc, **limits) for each in (ours, theirs))
                assert next(found) == next(found), (text, deacc, limits)
            for lower in ("lowercase", "to_lower", "lower"):
                for is_lower in (False, True):
                    found = (list(each.tokenize(text, deacc=deacc, **{lower: is_lower})) for each in (ours, theirs))
                    assert next(found) == next(found), (text, deacc, lower, is_lower)


def test_bytes_are_decoded_as_by_gensim():
    invalid = b"na\xefve caf\xe9"
    for each in (ours, theirs):
        assert each.simple_preprocess(invalid) == ["nave", "caf"]
        assert list(each.tokenize(invalid, encoding="latin-1")) == ["naïve", "café"]
        for refused in (each.tokenize, each.deaccent):
            with pytest.raises(UnicodeDecodeError):
                refused(invalid)


def test_signatures_and_rules_are_gensims():
    for name in ("simple_preprocess", "tokenize", "deaccent"):
        expected = inspect.signature(getattr(theirs, name)).parameters.values()
        found = inspect.signature(getattr(ours, name)).parameters.values()
        assert [(each.name, each.default) for each in found] == [(each.name, each.default) for each in expected], name
    for name in ("RULE_DEFAULT", "RULE_DISCARD", "RULE_KEEP"):
        assert getattr(ours, name) == getattr(theirs, name), name
