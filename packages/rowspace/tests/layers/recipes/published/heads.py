"""Whether `head_from_checkpoint` computes the logits of a small model of transformers bit for bit: `head_results`."""

from pathlib import Path
from typing import Any

import torch
import transformers as tf
from tests.layers.recipes.published.models import inputs_for, small_models
from torch import Tensor, nn
from transformers.models.auto import modeling_auto

from rowspace.errors import UsageError
from rowspace.layers import head_from_checkpoint, tied_from_checkpoint

__all__ = ["head_results"]

AUTOS = {
    tf.AutoModelForCausalLM: modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    tf.AutoModelForMaskedLM: modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    tf.AutoModelForSeq2SeqLM: modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
}


def head_results(kind: str, folder: Path) -> dict[str, str]:
    """The result by auto class: "agrees", "not run", or what differs."""
    found = {}
    for auto, names in AUTOS.items():
        # The decoder of an encoder-decoder alone has no checkpoints.
        if kind in names and not (auto is not tf.AutoModelForSeq2SeqLM and _is_encoder_decoder(kind)):
            found[auto.__name__] = _result(kind, auto, folder / auto.__name__)
    return found


def _is_encoder_decoder(kind: str) -> bool:
    return kind in modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES


@torch.no_grad()
def _result(kind: str, auto: Any, folder: Path) -> str:
    for model in small_models(kind, auto.from_config):
        for modality, inputs in inputs_for(model.config):
            hidden, logits = _run(model, inputs) if modality == "text" else (None, None)
            if hidden is not None and logits is not None:
                model.save_pretrained(folder)
                return _compared(folder, hidden, logits)
    return "not run"


def _compared(folder: Path, hidden: Tensor, logits: Tensor) -> str:
    """Compare the head alone, and with its input if it is tied."""
    heads = [head_from_checkpoint(folder)]
    try:
        embed, tied = tied_from_checkpoint(folder)
        tables = [getattr(embed.tokens, "table", embed.tokens).weight, getattr(tied, "head", tied).weight]
        if tables[0] is not tables[1]:
            return "the table of the tied head is not that of the input"
        heads.append(tied)
    except UsageError as error:
        if "matrix of its own" not in str(error):
            raise
    differences = [float((head(hidden) - logits).abs().max()) for head in heads]
    return "agrees" if max(differences) == 0 else f"differs by {max(differences):.2g}"


def _run(model: Any, inputs: dict[str, Tensor]) -> tuple[Tensor | None, Tensor | None]:
    """The states that the body of the model returns, and the logits; None if the model does not accept the inputs."""
    kept: list[Tensor] = []

    def keep(module: nn.Module, given: Any, output: Any) -> None:
        kept.append(output[0])

    body = model.base_model
    handle = body.register_forward_hook(keep) if body is not model else None
    try:
        result = model(**inputs, output_hidden_states=True)
    except Exception:  # any class raises what it likes
        return None, None
    finally:
        if handle is not None:
            handle.remove()
    states = getattr(result, "decoder_hidden_states", None) or getattr(result, "hidden_states", None)
    return (kept[-1] if kept else states[-1]), result.logits
