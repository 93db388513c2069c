"""The names of token tables in checkpoints, and which of several is the one that texts enter by.

1. Tables of parts beside the model are left out: those of drafts for the next tokens (`mtp`, or within a numbered
   layer), of an adapter to another model (`qformer`), and of models for another output (`EXTRA`).
2. A table that encoder and decoder share (`shared`) comes first; whether they do is compared where it is read.
3. An encoder's comes before its decoder's.

Where this leaves several, or none, the caller must ask.
"""

import re
from collections.abc import Iterable

__all__ = ["NAMES", "STEMS", "main_of", "token_tables"]

STEMS = (
    "shared",  # T5, BART
    "wte",  # GPT-2, MPT
    "embed_tokens",  # Llama, Mistral, Qwen, Gemma, OPT, Phi
    "word_embeddings",  # BERT, RoBERTa, ALBERT, BLOOM, Falcon
    "word_embedding",  # XLNet
    "tok_embeddings",  # ModernBERT, Meta's Llama
    "tokens_embed",  # GPT
    "embed_in",  # GPT-NeoX
    "token_embedding",  # CLIP's text side
)
NAMES = tuple(f"{stem}.weight" for stem in STEMS)
"""The ends of the names of token tables."""

# Parts of the names of tables beside that of the model: drafts of the next tokens, the converter of BLIP, the actions
# of PI0, the bytes of BLT's patches, proteins of Evolla, units of speech.
EXTRA = (
    "mtp",
    "nextn",
    "eagle",
    "draft",
    "qformer",
    "dit",
    "patcher",
    "protein_encoder",
    "t2u_model",
    "talker",
    "depth_decoder",
)
SIDE = re.compile(r"(.*?)(encoder|decoder)\.")
IN_LAYER = re.compile(r"(^|\.)(layers|h|blocks|block)\.\d+\.")


def token_tables(names: Iterable[str]) -> list[str]:
    """Return the names of token tables among those of tensors, sorted.

    >>> token_tables(["model.embed_tokens.weight", "unembed_tokens.weight", "wte.weight", "lm_head.weight"])
    ['model.embed_tokens.weight', 'wte.weight']
    """
    return sorted(name for name in names if any(name == end or name.endswith(f".{end}") for end in NAMES))


def main_of(names: Iterable[str]) -> str | None:
    """Return the one of several tables that texts enter by, or None if that is not certain.

    >>> main_of(["model.embed_tokens.weight", "mtp.embed_tokens.weight"])
    'model.embed_tokens.weight'
    >>> main_of(["decoder.embed_tokens.weight", "encoder.embed_tokens.weight"])
    'encoder.embed_tokens.weight'
    >>> main_of(["question.embed_tokens.weight", "answer.embed_tokens.weight"]) is None
    True
    """
    found = [name for name in names if not _is_extra(name)]
    if len(found) <= 1:
        return next(iter(found), None)
    shared = [name for name in found if f".{name}".endswith(".shared.weight")]
    if len(shared) == 1 and all(name.startswith(shared[0].removesuffix("shared.weight")) for name in found):
        return shared[0]
    sides = {_side(name): name for name in found}
    decoders = {(place, "decoder") for place, side in sides if side == "encoder"}
    if len(decoders) != 1 or len(found) != 2 or not decoders < sides.keys():
        return None
    return next(name for (_, side), name in sides.items() if side == "encoder")


def _is_extra(name: str) -> bool:
    parts = name.split(".")
    return IN_LAYER.search(name) is not None or any(part in EXTRA or part.startswith("mtp") for part in parts)


def _side(name: str) -> tuple[str, str]:
    """Return where in a model an encoder or a decoder is, and which of both it is.

    >>> _side("model.text_encoder.decoder.wte.weight"), _side("model.wte.weight")
    (('model.text_', 'encoder'), ('', ''))
    """
    found = SIDE.match(name)
    return (found[1], found[2]) if found else ("", "")
