"""`load_run`: the model and the tokenizer of a run at its last checkpoint."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rowspace.errors import FileFormatError, MissingExtraError, UsageError, reason_of

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a language model needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.contextual.encoder import TokenStates
from rowspace.text import HuggingFaceTokenizer
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.rows import merge_rows, prepare_rows
from rowspace_lab.experiments.language_model.run_folder.checkpoint import (
    TOKENIZER,
    RunRecord,
    read_record,
    read_tensors,
    read_tokenizer,
)

__all__ = ["LoadedRun", "load_run"]


@dataclass(frozen=True)
class LoadedRun:
    """A run at its last checkpoint.

    Attributes:
        model: The model, on the CPU.
        tokenizer: Its tokenizer.
        record: Its options, and how far it is.
    """

    model: LanguageModel
    tokenizer: HuggingFaceTokenizer
    record: RunRecord

    def token_states(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Yield the vectors of the tokens of each text that has any, for `rowspace.contextual.contextual_rows`.

        Args:
            texts: The texts.

        Yields:
            The tokens, the input of the first block and the output of each, and the rows of the table.
        """
        table = self.model.input.tokens.weight.detach()
        for text in texts:
            ids = self.tokenizer.encode(text).astype(np.int64)
            if len(ids):
                with torch.no_grad():
                    states = self.model.states(torch.from_numpy(ids)[None])[:-1]
                tokens = [self.tokenizer.token(number) for number in ids.tolist()]
                yield tokens, torch.cat(list(states)).float().numpy(), table[ids].numpy()


def load_run(run: str | os.PathLike[str]) -> LoadedRun:
    """Load the model of a run, which may still be trained.

    Args:
        run: The folder.

    Returns:
        The model of the last complete checkpoint, its tokenizer and its options.

    Raises:
        UsageError: There is no run.
        FileFormatError: It is damaged.
    """
    path = Path(run)
    record, tensors, tokens = read_record(path), read_tensors(path), read_tokenizer(path)
    try:
        tokenizer = HuggingFaceTokenizer.from_json(tokens, str(path / TOKENIZER))
        model = LanguageModel(len(tokenizer), record.training.context, record.model)
        prepare_rows(model, record.training.rows, record.training.lora_rank)
        weights = {name.removeprefix("model."): rows for name, rows in tensors.items() if name.startswith("model.")}
        with torch.no_grad():
            model.load_state_dict(weights)
    except (RuntimeError, TypeError, UsageError) as error:
        raise FileFormatError(
            f"{path}: its state does not fit its options ({reason_of(error)}); train a new run"
        ) from error
    merge_rows(model)
    return LoadedRun(model.eval().requires_grad_(True), tokenizer, record)
