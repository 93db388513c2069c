"""The compiled scanner on texts too large for kernels run as Python, compared with the `tokenizers` library."""

import numpy as np
import pytest
from tokenizers import Tokenizer

from rowspace.text import TextOptions, WordTokenizer, encode_corpus

LARGE = {
    "a line of 10 MB": "Don't İt ends_here, héllo 안녕 " * 270_000,
    "a word of 10 MB": "wörD" * 2_000_000,
    "a word of 10 MB with joiners": "ab'" * 3_300_000,
    "10 MB without a word": "'_'-" * 2_500_000,
}


@pytest.mark.long
@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_ids_of_a_large_text_equal_those_of_tokenizers(tmp_path, text):
    (tmp_path / "text").write_text(text)
    tokenizer = WordTokenizer(["ends_here", "안녕", "ab'ab"])

    ids = tokenizer.encode(text)

    assert np.array_equal(ids, Tokenizer.from_str(tokenizer.to_json()).encode(text).ids)  # Parity: tokenizers
    if len(ids):
        corpus = encode_corpus(tmp_path / "text", tmp_path, options=TextOptions(min_count=1))
        assert corpus.words == len(ids)
        assert corpus.size == len(ids) + 1  # one sentence


def test_result_does_not_depend_on_the_number_of_workers(tmp_path):
    rng = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(20_000)])
    text = "\n".join(" ".join(line) for line in words[rng.zipf(1.3, (40_000, 20)) % 20_000])
    (tmp_path / "text").write_text(text)

    one, four = (encode_corpus(tmp_path / "text", tmp_path, options=TextOptions(workers=workers)) for workers in (1, 4))

    assert four.vocabulary == one.vocabulary
    assert np.array_equal(four.counts, one.counts)
    assert four.size == one.size
