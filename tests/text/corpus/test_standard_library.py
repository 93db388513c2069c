"""The default corpus: real text of the Python that runs, without what hurts."""

import sys

import pytest

from rowspace.errors import CorpusError
from rowspace.text import TextOptions, encode_corpus
from rowspace.text.corpus.standard_library import standard_library


@pytest.fixture(scope="module")
def texts():
    return list(standard_library())


@pytest.mark.parametrize(
    "piece",
    [
        "class Counter(dict)",  # source
        'The "if" statement is used for conditional execution',  # the language's reference
        "Return the sine of x",  # a compiled module's docstring
    ],
)
def test_it_holds_source_reference_and_docstrings(texts, piece):
    assert any(piece in text for text in texts)


@pytest.mark.parametrize("piece", ["class IdleConfParser", "LATIN CAPITAL LETTER A WITH GRAVE'", "class GrammarTests"])
def test_it_holds_no_tests_and_no_tables(texts, piece):
    assert not any(piece in text for text in texts)


def test_its_order_is_fixed(texts):
    assert list(standard_library()) == texts


def test_its_words_are_those_of_python(tmp_path, texts):
    corpus = encode_corpus(texts, tmp_path, options=TextOptions(sentences="paragraph"))

    assert corpus.words > 500_000
    assert corpus.replaced == 0
    assert {"typeerror", "valueerror", "sin", "cos", "true", "false"} <= set(corpus.vocabulary)
    assert not any(word.startswith(("f'", "n'")) for word in corpus.vocabulary)


def test_source_is_read_in_its_own_encoding(tmp_path):
    (tmp_path / "old.py").write_bytes("# coding: latin-1\n# für\n".encode("latin-1"))

    assert next(standard_library(tmp_path)) == "# coding: latin-1\n# für\n"


def test_string_marks_do_not_stick_to_words(tmp_path):
    (tmp_path / "one.py").write_text("""x = f'one\\ntwo' + rb"three" + 'four'\n""")

    assert next(standard_library(tmp_path)).split() == ["x", "=", "'one", "two'", "+", '"three"', "+", "'four'"]


@pytest.mark.parametrize("name", ["test", "site-packages", "config-3.11"])
def test_a_python_without_source_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.py").write_text("a")

    with pytest.raises(CorpusError, match="has no source of its standard library"):
        standard_library(tmp_path)


def test_the_reference_may_be_missing(tmp_path, monkeypatch):
    (tmp_path / "one.py").write_text("one")
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)  # some distributions leave it out

    assert not any('"if" statement is used' in text for text in standard_library(tmp_path))
