"""Chunks: complete, short, and cut where the text before says so."""

import pytest
from hypothesis import given, strategies as st

from rowspace.errors import CorpusError
from rowspace_lab.experiments.arena.tasks.chunks import MAX_CHUNK, read_documents, split_chunks


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_chunks_are_the_text_with_single_spaces(text):
    chunks = split_chunks(text)
    assert b"".join(chunks).decode() == " ".join(text.split()) + " "
    assert all(0 < len(chunk.decode()) <= MAX_CHUNK for chunk in chunks)


@given(st.text("ab é.", min_size=1), st.text("ab é.", min_size=1))
def test_borders_before_a_place_do_not_depend_on_what_follows_it(start, end):
    whole, alone = split_chunks(start + "x" + end), split_chunks(start + "x")
    # The last chunk of the start alone may go on; all borders before it stay.
    assert whole[: len(alone) - 1] == alone[:-1]


def test_a_corpus_is_read_up_to_the_limit(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("word " * 1000)
    assert sum(len(document) for document in read_documents(path, limit=700)) == 700
    assert list(read_documents(["one", "two"], limit=10**6)) == ["one", "two"]


def test_the_default_is_the_standard_library_from_many_files():
    documents = list(read_documents(None, limit=100_000))
    assert len(documents) > 200
    assert sum(len(document.encode()) for document in documents) <= 100_000


def test_token_lists_are_refused():
    with pytest.raises(CorpusError, match="consists of token lists; pass texts"):
        list(read_documents([["one", "token"]], limit=10))
