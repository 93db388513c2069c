"""The package as code finds it that imports it in place of `gensim`."""

import subprocess
import sys

import numpy as np
import pytest

import rowspace.compat.gensim as package
from rowspace import store
from rowspace.errors import RowspaceError

MISSING = "/no/such/file.bin"
READERS = {
    "Word2Vec": lambda: package.Word2Vec.load(MISSING),
    "KeyedVectors": lambda: package.KeyedVectors.load(MISSING, mmap="r"),
    "Phrases": lambda: package.Phrases.load(MISSING),
    "corpus_file": lambda: package.Word2Vec(corpus_file=MISSING),
    "LineSentence": lambda: list(package.LineSentence(MISSING)),
    "Text8Corpus": lambda: list(package.Text8Corpus(MISSING)),
    "TaggedLineDocument": lambda: list(package.TaggedLineDocument(MISSING)),
    "text": lambda: package.KeyedVectors.load_word2vec_format(MISSING),
    "binary": lambda: package.KeyedVectors.load_word2vec_format(MISSING, binary=True),
    "another encoding": lambda: package.KeyedVectors.load_word2vec_format(MISSING, encoding="latin-1"),
    "fastText": lambda: package.FastText.load_fasttext_format(MISSING),
    "fastText's vectors": lambda: package.load_facebook_vectors(MISSING),
    "pairs": lambda: package.KeyedVectors(2).evaluate_word_pairs(MISSING),
    "analogies": lambda: package.KeyedVectors(2).evaluate_word_analogies(MISSING),
}


def test_a_missing_file_is_a_file_not_found_error_with_a_plain_message():
    for name, read in READERS.items():
        with pytest.raises(FileNotFoundError) as caught:
            read()
        assert isinstance(caught.value, RowspaceError), name
        assert isinstance(caught.value, ValueError), name
        assert str(caught.value) == f"'{MISSING}' cannot be opened: No such file or directory; check the path", name


def test_a_file_that_cannot_be_opened_is_an_os_error(tmp_path):
    for read in (package.Word2Vec.load, lambda path: list(package.LineSentence(path))):
        with pytest.raises(OSError, match="cannot be opened: Is a directory"):
            read(tmp_path)


IN_A_FRESH_PROCESS = """
import rowspace.compat.gensim as gensim
import sys
assert "numba" not in sys.modules
document = gensim.models.doc2vec.TaggedDocument(gensim.utils.simple_preprocess("The cat"), [0])
assert document.words == ["the", "cat"]
model = gensim.models.Word2Vec(vector_size=4, min_count=1)
model.build_vocab([["a", "b"]] * 5)
for _ in range(2):
    model.train([["a", "b"]] * 5, total_examples=5, epochs=1)
"""


def test_modules_are_attributes_and_nothing_is_printed_unless_logging_is_configured():
    # The second call of `train` warns of its learning rate, as in gensim, whose logger prints nothing by default.
    for start, is_logged in (("", False), ("import logging\nlogging.basicConfig()\n", True)):
        command = [sys.executable, "-c", start + IN_A_FRESH_PROCESS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert ("Effective 'alpha' higher" in done.stderr) is is_logged, done.stderr


def test_the_formats_of_tables_say_how_to_open_a_saved_object(tmp_path):
    sentences, options = [["a", "b"]] * 5, {"vector_size": 4, "min_count": 1, "negative": 5}
    models = [package.Word2Vec(**options), package.FastText(bucket=50, **options)]
    for model in models:
        model.build_vocab(sentences)
    documents = package.Doc2Vec(**options)
    documents.build_vocab([package.TaggedDocument(["a"], [0])])
    for saved in (*models, *(model.wv for model in models), documents):
        path, kind = tmp_path / type(saved).__name__, type(saved).__name__
        saved.save(path)
        call = f"rowspace.compat.gensim.{kind}.load({str(path)!r}).to_table()"
        for key in (None, "wv.vectors"):
            with pytest.raises(ValueError, match=r"is a .* of rowspace.compat.gensim") as caught:
                store.load(path, key=key)
            assert call in str(caught.value)
        table = getattr(package, kind).load(path).to_table()
        assert np.array_equal(table.rows, saved.to_table().rows)
    package.Phrases(sentences).save(tmp_path / "phrases")
    with pytest.raises(ValueError, match=r"saved by rowspace.compat.gensim and has no vectors"):
        store.load(tmp_path / "phrases")


def test_old_names_of_models_exist(caplog):
    model = package.Word2Vec(vector_size=4, min_count=1)
    model.build_vocab([["a", "b", "b"]])
    model.wv.set_vecattr("a", "count", 2)
    model.make_cum_table()
    assert model.cum_table.tolist() == [2**30, 2**31 - 1]
    with caplog.at_level("INFO"):
        model.add_lifecycle_event("tested", reason="a test")
        model.add_lifecycle_event("hidden", log_level=False)
    assert caplog.messages == ["Word2Vec lifecycle event {'event': 'tested', 'reason': 'a test'}"]
