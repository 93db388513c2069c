"""`load_run`: the model and the tokenizer of a run at its last checkpoint."""

import os
from dataclasses import dataclass
from pathlib import Path

from rowspace.errors import FileFormatError, MissingExtraError, UsageError, reason_of

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a language model needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.learn.language_model.model.model import LanguageModel
from rowspace.learn.language_model.rows import merge_rows, prepare_rows
from rowspace.learn.language_model.run_folder.checkpoint import (
    TOKENIZER,
    RunRecord,
    read_record,
    read_tensors,
    read_tokenizer,
)
from rowspace.text import HuggingFaceTokenizer

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
