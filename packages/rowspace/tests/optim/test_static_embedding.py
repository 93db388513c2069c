"""sentence-transformers trains a `StaticEmbedding` with `DeferredAdamW` in its own trainer.

The trainer clips by accelerate, which calls torch's `clip_grad_norm_` on the sparse gradients.
"""

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from rowspace.optim import DeferredAdamW

WORDS = ["cat", "dog", "car", "bus", "pets", "meow", "bark", "drive", "ride", "[UNK]"]
PAIRS = {
    "anchor": ["cat meow", "dog bark", "car drive", "bus ride"] * 8,
    "positive": ["pets", "pets dog", "bus", "car"] * 8,
}


def trained(folder, *, sparse):
    """The rows after two epochs of the trainer."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from sentence_transformers.models import StaticEmbedding

    torch.manual_seed(0)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    module = StaticEmbedding(tokenizer, embedding_dim=8)
    module.embedding.sparse = sparse
    model = SentenceTransformer(modules=[module], device="cpu")
    make = DeferredAdamW if sparse else lambda module, **options: torch.optim.AdamW(module.parameters(), **options)
    optimizer = make(model, lr=0.01)
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder), num_train_epochs=2, per_device_train_batch_size=4, max_grad_norm=0.05, report_to=[],
        use_cpu=True, save_strategy="no", disable_tqdm=True, logging_strategy="no", seed=0,
    )  # fmt: skip
    trainer = SentenceTransformerTrainer(
        model, arguments, train_dataset=Dataset.from_dict(PAIRS), loss=MultipleNegativesRankingLoss(model),
        optimizers=(optimizer, None),
    )  # fmt: skip
    trainer.train()
    return model.state_dict()["0.embedding.weight"]


@pytest.mark.filterwarnings("ignore")
def test_static_embedding_trains_as_with_adamw(tmp_path):
    ours, theirs = trained(tmp_path / "ours", sparse=True), trained(tmp_path / "theirs", sparse=False)
    assert (ours - theirs).abs().max() < 1e-5
