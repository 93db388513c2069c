"""The word tokenizer: lowercase, then runs of letters, marks and numbers, and emoji; `don't` is one word.

It has two forms with the same ids on every input: a tokenizer.json, which the `tokenizers` library runs, and our
scanner, which is faster.
"""

import json
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.tokenizer_json import UNKNOWN_TOKEN, word_level_ids, word_level_json
from rowspace.text.characters import character_table, utf8
from rowspace.text.tokenizers.huggingface_library import validate_merges
from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.unspaced import Separator, is_unspaced

__all__ = ["WORD_PATTERN", "WordTokenizer", "added_words", "unspaced_words"]

_CHARACTER = "[\\p{L}\\p{M}\\p{N}\u05f3]"  # with geresh, which is a letter by UAX #29
_JOINER = "(?:['’_·\u05f4\u200c\u200d]|(?<=[א-ת])\"(?=[א-ת]))"  # also of Catalan, Hebrew, Persian and India
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
        unspaced: Those words, of scripts without spaces, that are found within others: the longest at each place.

    Raises:
        UsageError: a word is duplicated or holds a surrogate, or one of `unspaced` is not in the vocabulary.

    >>> tokenizer = WordTokenizer(["the", "cat", "don't"])
    >>> tokenizer.split("The cat, __init__! 👍🏽")
    ['the', 'cat', 'init', '👍🏽']
    >>> tokenizer.encode("Don't wake THE cat").tolist()
    [2, 3, 0, 1]
    >>> WordTokenizer(["学习", "词", "t"], unspaced=["学习", "词"]).encode("学习词!").tolist()
    [0, 1]
    """

    def __init__(self, vocabulary: Sequence[str], *, cased: bool = False, unspaced: Collection[str] = ()) -> None:
        self.vocabulary = vocabulary
        self.cased = cased
        self.unspaced = unspaced
        missing = set(unspaced).difference(word_level_ids(vocabulary))  # which validates them
        if missing:
            raise UsageError(f"{min(missing)!r} is one of unspaced, but no word of the vocabulary; add it there")

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
            unspaced = {token["content"] for token in found["added_tokens"]} & vocabulary.keys()
            tokenizer = cls(words, cased=found["normalizer"] is None, unspaced=unspaced)
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
        ids = word_level_ids(self.vocabulary)
        return word_level_json(ids, split, normalizer=normalizer, added=added_words(self.unspaced, ids))

    def encode(self, text: str) -> NDArray[np.int32]:
        """Return the ids of a text's words: int32 (words,); other words get `unknown_id`."""
        with _LEXICON_LOCK:
            ids, _ = self._lexicon.scan(self._separated(text), learning=False)
        ids[ids < 0] = self.unknown_id
        return ids

    def split(self, text: str) -> list[str]:
        """Return a text's words, as the vocabulary would hold them."""
        lexicon = Lexicon(character_table(cased=self.cased))
        with _LEXICON_LOCK:
            ids, _ = lexicon.scan(self._separated(text))
        words = [word.decode() for word in lexicon.all_words()]
        return [words[identity] for identity in ids]

    @cached_property
    def unknown_id(self) -> int:
        """The id of an unknown word: V, unless the vocabulary contains `[UNK]`."""
        return word_level_ids(self.vocabulary)[UNKNOWN_TOKEN]

    def _separated(self, text: str) -> bytes:
        """Return the UTF-8 of a text, with blanks around words of scripts without spaces."""
        return self._separator.separate(utf8(text))[0] if self.unspaced else utf8(text)

    @cached_property
    def _separator(self) -> Separator:
        return Separator(list(self.unspaced))

    @cached_property
    def _lexicon(self) -> Lexicon:
        lexicon = Lexicon(character_table(cased=self.cased))
        lexicon.add([word.encode() for word in self.vocabulary])
        return lexicon


def added_words(words: Collection[str], ids: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return words of scripts without spaces as the added tokens of a tokenizer.json, in the order of their ids.

    >>> [token["id"] for token in added_words(["国", "中国"], {"中国": 4, "国": 7})]
    [4, 7]
    """
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    return [{"id": ids[word], "content": word} | flags for word in sorted(words, key=ids.__getitem__)]


def unspaced_words(text: str | None) -> list[str]:
    """Return the words of scripts without spaces that a tokenizer.json finds within others.

    >>> unspaced_words(WordTokenizer(["学习", "a"], unspaced=["学习"]).to_json())
    ['学习']
    """
    added = json.loads(text or "{}").get("added_tokens") or []
    return [token["content"] for token in added if not token["single_word"] and is_unspaced(token["content"])]
