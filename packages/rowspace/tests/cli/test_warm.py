"""The kernels that are compiled at setup are all that the first commands need."""

import pytest

from rowspace.cli.warm import warm_classifier, warm_encode, warm_options, warm_serve, warm_space, warm_store
from rowspace.encode import kernels as pooling
from rowspace.encode.scanners.byte_bpe.kernels import scan as byte_bpe
from rowspace.encode.scanners.sentencepiece.kernels import merges, unigram
from rowspace.encode.scanners.wordpiece import kernels as wordpiece
from rowspace.learn.classifier.ngrams.kernels import learn_hinge
from rowspace.learn.classifier.rows.kernels import predict, train, words
from rowspace.learn.documents.passes import learn_documents
from rowspace.learn.word2vec.kernels import learn_piece
from rowspace.space import kernels as space
from rowspace.store import kernels as store
from rowspace.store.text_formats import kernels as text_formats, print_kernels
from rowspace.text.ids.kernels import count_pairs
from rowspace.text.words.unspaced import kernels as unspaced

FILES = (store.copy_rows, store.find_entries, store.find_suspects, store.find_words, store.has_odd_number)
TEXT_FILES = (store.join_words, text_formats.find_lines, text_formats.parse_rows, print_kernels.print_rows)
SCANNERS = (wordpiece.scan, byte_bpe.scan, merges.scan, unigram.scan, unspaced.separate)

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    ("warm", "kernels"),
    [
        (warm_encode, (*SCANNERS, pooling.pool_rows)),
        (warm_store, (*FILES, *TEXT_FILES)),
        (warm_space, (space.select,)),
        (warm_serve, (print_kernels.print_numbers,)),
        (warm_classifier, (words.add_counts, predict.embed, train.learn, learn_hinge)),
        pytest.param(warm_options, (learn_piece, learn_documents, count_pairs), marks=pytest.mark.long),
    ],
)
def test_each_kernel_is_compiled(warm, kernels):
    warm()
    for kernel in kernels:
        assert getattr(kernel, "signatures", [()]), kernel.__name__  # a plain function if compilation is disabled
