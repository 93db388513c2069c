"""What the kernels of Unigram read, as arrays."""

import numpy as np

from rowspace.encode.scanners.sentencepiece.characters import character_numbers
from rowspace.encode.scanners.sentencepiece.kernels.unigram import MAX_BYTES, Words
from rowspace.encode.scanners.sentencepiece.kernels.viterbi import Lattice, UnigramModel, best_tokens
from rowspace.encode.scanners.sentencepiece.unigram_arrays import UnigramArrays
from rowspace.encode.scanners.sentencepiece.white_space import WhiteSpaceRule
from rowspace.encode.scanners.trie import build_trie

__all__ = ["lattice", "unigram_model", "words_of"]

MARK = "\u2581"
PENALTY = 10.0  # of an unknown character, below the lowest score


def unigram_model(model: UnigramArrays) -> UnigramModel:
    """Return the arrays of a model."""
    byte_ids = np.full(256, -1, np.int32)
    if model.byte_fallback:
        byte_ids[:] = [model.vocab.get(f"<0x{byte:02X}>", -1) for byte in range(256)]
    unknown_score = float(model.scores.min()) - PENALTY
    return UnigramModel(build_trie(model.vocab), model.scores, byte_ids, model.unknown, unknown_score)


def words_of(rule: WhiteSpaceRule, model: UnigramModel, watched: str) -> Words:
    """Return how a text becomes pieces; the piece of a blank alone has no ids if there is no unknown token."""
    characters = character_numbers(
        rule.characters,
        splits_white_space=rule.splits,
        collapses=bool(rule.runs),
        strips=rule.strips,
        watched=watched,
    )
    room = lattice()
    room.text[:3] = np.frombuffer(MARK.encode(), np.uint8)
    count = best_tokens(room, 3, model)
    return Words(characters, np.array(rule.alone, np.int64), room.ids[room.ids.size - max(count, 0) :].copy())


def lattice() -> Lattice:
    """Return room for a piece."""
    return Lattice(
        text=np.empty(MAX_BYTES, np.uint8),
        sums=np.empty(MAX_BYTES + 1, np.float64),
        starts=np.empty(MAX_BYTES + 1, np.int32),
        tokens=np.empty(MAX_BYTES + 1, np.int32),
        ids=np.empty(MAX_BYTES, np.int32),
    )
