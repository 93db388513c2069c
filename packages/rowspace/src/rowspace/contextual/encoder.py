"""`load_encoder`: a folder with an encoder of transformers → the model and its tokenizer, if it has all weights."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, MissingExtraError, UsageError, reason_of
from rowspace.files.scaled_rows import REMEDY
from rowspace.files.transformers_folder import TransformersFolder

__all__ = ["LoadedEncoder", "TokenStates", "Vectors", "load_encoder", "longest_input"]

Vectors = NDArray[np.float32]
TokenStates = tuple[list[str], Vectors, Vectors]
"""The tokens of a text, their states (layers, n, d), and their rows in the table (n, d)."""


@dataclass(frozen=True, eq=False)
class LoadedEncoder:
    """A model of transformers in memory, from `load_encoder`.

    Attributes:
        tokenizer: As transformers loads it.
        model: In evaluation mode.
    """

    tokenizer: Any
    model: Any

    @property
    def encoder(self) -> Any:
        """The model, or the encoder of one with an encoder and a decoder."""
        return self.model.get_encoder() if getattr(self.model.config, "is_encoder_decoder", False) else self.model

    def token_states(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Yield the vectors of the tokens of each text that has any; see `contextual_rows`.

        Args:
            texts: The texts.

        Yields:
            The tokens, the input of the first block and the output of each, and the rows of the table.

        Raises:
            UsageError: A text is longer than the model reads.
        """
        import torch  # transformers has imported it

        table = self.model.get_input_embeddings().weight.detach().float()
        longest = longest_input(self.model)
        for text in texts:
            inputs = self.tokenizer(text, return_tensors="pt")
            ids = inputs["input_ids"][0]
            if not len(ids):
                continue
            if longest is not None and len(ids) > longest:
                raise UsageError(
                    f"the text {text[:40]!r} has {len(ids)} tokens, but the model reads {longest}; shorten it"
                )
            with torch.no_grad():
                states = self.encoder(**inputs, output_hidden_states=True).hidden_states
            tokens = self.tokenizer.convert_ids_to_tokens(ids)
            yield tokens, torch.cat(list(states)).float().numpy(), table[ids].numpy()


def longest_input(model: Any) -> int | None:
    """Return the number of ids that a model of transformers reads at once, if it is limited."""
    longest = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(longest, int) or longest <= 0:
        return None
    tables = [module for name, module in model.named_modules() if name.endswith("position_embeddings")]
    pads = [pad for pad in (getattr(table, "padding_idx", None) for table in tables) if pad is not None]
    return longest - max(pads, default=-1) - 1  # RoBERTa counts positions from the one after that of padding


def load_encoder(folder: str | os.PathLike[str]) -> LoadedEncoder:
    """Open a folder with an encoder of transformers, to use it several times.

    Args:
        folder: With config.json, weights and tokenizer. Nothing is downloaded, and code in it is not run.

    Returns:
        The model and its tokenizer, for `contextual_rows`.

    Raises:
        UsageError: The folder has no config.json.
        FileFormatError: The model does not open.
        MissingExtraError: transformers is not installed.
    """
    path = Path(folder)
    if not (path / "config.json").exists():
        raise UsageError(f"{str(path)!r} is not a model of transformers, since it has no config.json; check the path")
    try:
        import torch  # noqa: F401  # transformers opens no model without it
        import transformers
    except ImportError as error:
        raise MissingExtraError(
            "a model of transformers needs PyTorch and transformers: pip install 'rowspace[torch,models]'"
        ) from error
    _check_unquantized(TransformersFolder(path))
    own = {"local_files_only": True, "trust_remote_code": False}  # without the latter, transformers would prompt
    try:
        with _without_progress(transformers.utils.logging):
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(path, **own)
            model, found = transformers.AutoModel.from_pretrained(
                path, use_safetensors=True, output_loading_info=True, **own
            )
    except Exception as error:  # the library raises many kinds
        raise FileFormatError(f"{path}: does not open as a model of transformers ({reason_of(error)})") from error
    missing = [name for name in found["missing_keys"] if "pooler" not in name]  # which a language model does not have
    if missing:
        raise FileFormatError(
            f"{path}: has no weights for {join_names(missing)}, which would be random; check that config.json and "
            "weights are of the same model"
        )
    return LoadedEncoder(tokenizer, model.eval())


def _check_unquantized(folder: TransformersFolder) -> None:
    """Refuse codes that transformers would take for weights, since config.json does not say that they are codes."""
    if not folder.has_weights or folder.config.get("quantization_config"):
        return
    codes = [name for name in folder.files if folder.holds_codes(name)]
    if codes:
        raise FileFormatError(
            f"{folder.path}: holds codes of a quantized model ({join_names(codes)}), but its config.json has no "
            f"quantization_config; {REMEDY}"
        )


@contextmanager
def _without_progress(logging: Any) -> Iterator[None]:
    """Hide the progress bar of transformers, whose weights open within seconds."""
    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()
