"""The default corpus: source, reference and docstrings of the running Python, without tests and tables."""

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
def test_corpus_contains_source_reference_and_docstrings(texts, piece):
    assert any(piece in text for text in texts)


@pytest.mark.parametrize("piece", ["class IdleConfParser", "LATIN CAPITAL LETTER A WITH GRAVE'", "class GrammarTests"])
def test_corpus_excludes_tests_and_tables(texts, piece):
    assert not any(piece in text for text in texts)


def test_order_is_deterministic(texts):
    assert list(standard_library()) == texts


def test_most_frequent_words_are_those_of_python(tmp_path, texts):
    corpus = encode_corpus(texts, tmp_path, options=TextOptions(sentences="paragraph"))

    assert corpus.words > 500_000
    assert corpus.replaced == 0
    assert {"typeerror", "valueerror", "sin", "cos", "true", "false"} <= set(corpus.vocabulary)
    assert not any(word.startswith(("f'", "n'")) for word in corpus.vocabulary)


def test_source_is_decoded_by_its_encoding_declaration(tmp_path):
    (tmp_path / "old.py").write_bytes("# coding: latin-1\n# für\n".encode("latin-1"))

    assert next(standard_library(tmp_path)) == "# coding: latin-1\n# für\n"


def test_string_prefixes_are_separated_from_words(tmp_path):
    (tmp_path / "one.py").write_text("""x = f'one\\ntwo' + rb"three" + 'four'\n""")

    assert next(standard_library(tmp_path)).split() == ["x", "=", "'one", "two'", "+", '"three"', "+", "'four'"]


@pytest.mark.parametrize("name", ["test", "site-packages", "config-3.11"])
def test_python_without_source_files_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.py").write_text("a")

    with pytest.raises(CorpusError, match="has no source of its standard library"):
        standard_library(tmp_path)


def test_missing_language_reference_is_allowed(tmp_path, monkeypatch):
    (tmp_path / "one.py").write_text("one")
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)  # some distributions omit it

    assert not any('"if" statement is used' in text for text in standard_library(tmp_path))
