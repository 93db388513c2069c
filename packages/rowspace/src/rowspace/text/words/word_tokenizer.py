"""The word tokenizer: lowercase, then runs of letters, marks and numbers, and emoji; `don't` is one word.

It has two forms with the same ids on every input: a tokenizer.json, which the `tokenizers` library runs, and our
scanner, which is faster.
"""

import json
import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError
from rowspace.files.tokenizer_json import UNKNOWN_TOKEN, word_level_ids, word_level_json
from rowspace.text.characters import character_table, utf8
from rowspace.text.tokenizers.huggingface_library import validate_merges
from rowspace.text.words.lexicon import Lexicon

__all__ = ["WORD_PATTERN", "WordTokenizer"]

_CHARACTER = "[\\p{L}\\p{M}\\p{N}\u05f3]"  # with geresh, which is a letter by UAX #29
_JOINER = "(?:['’_\u05f4\u200c\u200d]|(?<=[א-ת])\"(?=[א-ת]))"  # gershayim, and the joiners of Persian and of India
_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"  # emoji style, skin tones, tags of flags
_EMOJI = f"(?=[\u2300-\U0010ffff])\\p{{Extended_Pictographic}}{_MODIFIERS}"  # without ©, ™ and arrows
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
WORD_PATTERN = f"{_CHARACTER}+(?:{_JOINER}{_CHARACTER}+)*|{_EMOJI}(?:\u200d{_EMOJI})*|{_FLAG}"

# A lexicon writes a word that it looks up after its known words, so lookups need a lock. All tokenizers share one lock,
# since a tokenizer with a lock could not be pickled.
_LEXICON_LOCK = threading.Lock()


class WordTokenizer:
    """Text → ids of words: 0 to V-1 in the order of `vocabulary`, V for an unknown word.

    Args:
        vocabulary: The words, lowercase unless `cased`.
        cased: Keep case; otherwise text is lowercased first.

    Raises:
        UsageError: a word is duplicated or holds a surrogate.

    >>> tokenizer = WordTokenizer(["the", "cat", "don't"])
    >>> tokenizer.split("The cat, __init__! 👍🏽")
    ['the', 'cat', 'init', '👍🏽']
    >>> tokenizer.encode("Don't wake THE cat").tolist()
    [2, 3, 0, 1]
    """

    def __init__(self, vocabulary: Sequence[str], *, cased: bool = False) -> None:
        self.vocabulary = vocabulary
        self.cased = cased
        word_level_ids(vocabulary)  # which validates them

    @classmethod
    def from_json(cls, text: str) -> "WordTokenizer":
        """Return the tokenizer that a tokenizer.json describes.

        Raises:
            FileFormatError: it is not a tokenizer.json, or describes another tokenizer.

        >>> WordTokenizer.from_json(WordTokenizer(["a", "b"]).to_json()).vocabulary
        ['a', 'b']
        """
        try:
            validate_merges(text, "it")
            found = json.loads(Tokenizer.from_str(text).to_str())
        except Exception as error:  # the library raises nothing narrower
            raise FileFormatError(
                f"the text is not a tokenizer.json that the tokenizers library opens ({error})"
            ) from error
        vocabulary = found["model"].get("vocab")
        if found["model"]["type"] == "WordLevel" and isinstance(vocabulary, dict):
            words = sorted(vocabulary, key=vocabulary.__getitem__)
            if words and words[-1] == UNKNOWN_TOKEN:
                words.pop()
            tokenizer = cls(words, cased=found["normalizer"] is None)
            if json.loads(Tokenizer.from_str(tokenizer.to_json()).to_str()) == found:
                return tokenizer
        raise FileFormatError(
            f"the tokenizer.json describes a {found['model']['type']} tokenizer, which is not rowspace's word "
            "tokenizer; run it with the tokenizers library instead"
        )

    def to_json(self) -> str:
        """Return the text of a tokenizer.json that the `tokenizers` library opens."""
        split = {
            "type": "Split",
            "pattern": {"Regex": WORD_PATTERN},
            "behavior": "Removed",
            "invert": True,
        }
        normalizer = None if self.cased else {"type": "Lowercase"}
        return word_level_json(word_level_ids(self.vocabulary), split, normalizer=normalizer)

    def encode(self, text: str) -> NDArray[np.int32]:
        """Return the ids of a text's words: int32 (words,); other words get `unknown_id`."""
        with _LEXICON_LOCK:
            ids, _ = self._lexicon.scan(utf8(text), learning=False)
        ids[ids < 0] = self.unknown_id
        return ids

    def split(self, text: str) -> list[str]:
        """Return a text's words, as the vocabulary would hold them."""
        lexicon = Lexicon(character_table(cased=self.cased))
        ids, _ = lexicon.scan(utf8(text))
        words = [word.decode() for word in lexicon.all_words()]
        return [words[identity] for identity in ids]

    @cached_property
    def unknown_id(self) -> int:
        """The id of an unknown word: V, unless the vocabulary contains `[UNK]`."""
        return word_level_ids(self.vocabulary)[UNKNOWN_TOKEN]

    @cached_property
    def _lexicon(self) -> Lexicon:
        lexicon = Lexicon(character_table(cased=self.cased))
        lexicon.add([word.encode() for word in self.vocabulary])
        return lexicon
