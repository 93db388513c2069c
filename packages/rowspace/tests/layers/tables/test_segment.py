import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings

from rowspace.errors import UsageError
from rowspace.layers import SegmentEmbedding, segments_of


def test_matches_bert_token_type_embedding() -> None:
    theirs = BertEmbeddings(BertConfig(vocab_size=10, hidden_size=8, num_attention_heads=2)).token_type_embeddings
    ours = SegmentEmbedding(2, 8)
    ours.load_state_dict(theirs.state_dict())
    segment_ids = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert torch.equal(ours(segment_ids), theirs(segment_ids))
    assert torch.equal(ours().expand(2, 4, 8), theirs(torch.zeros(2, 4, dtype=torch.int64)))


def test_without_ids_the_first_segment_gets_the_gradient() -> None:
    segments = SegmentEmbedding(2, 3)
    (torch.zeros(5, 3) + segments()).sum().backward()
    assert segments.weight.grad.tolist() == [[5.0] * 3, [0.0] * 3]


def test_segments_match_a_bert_tokenizer() -> None:
    tokenizer = Tokenizer(models.WordLevel({"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4}))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch([("a b", "b a a"), ("a", "b"), "a b a", ("", "")])
    ids = torch.tensor([one.ids for one in encoded])
    assert segments_of(ids, separator_id=2).tolist() == [one.type_ids for one in encoded]


@pytest.mark.parametrize(("ids", "expected"), [([5, 6], [0, 0]), ([], []), ([2, 2, 2], [0, 1, 2])])
def test_segments_of_edge_cases(ids: list[int], expected: list[int]) -> None:
    assert segments_of(torch.tensor([ids], dtype=torch.int64), separator_id=2).tolist() == [expected]


def test_invalid_arguments_raise() -> None:
    with pytest.raises(UsageError, match="num_segments must be 1 or more, not 0"):
        SegmentEmbedding(0, 4)
    with pytest.raises(UsageError, match=r"id 2 at \[0, 1\] is out of range for a table of 2 rows"):
        SegmentEmbedding(2, 4)(torch.tensor([[0, 2]]))
