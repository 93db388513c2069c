"""The tokens of a distilled table: those of the teacher's tokenizer with their ids, then extra words.

An extra word that is one word to a WordPiece tokenizer becomes an entry of its vocabulary, and so does a part of
longer words. All other extra words, such as `New York` and `C++`, become added tokens, which the tokenizer finds in
the normalized text before it splits it. This is what model2vec 0.10 does for the words of its argument `vocabulary`,
except that here added tokens match whole words only.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokenizers import AddedToken, Tokenizer

from rowspace.files.vocabulary import encode_token_list
from rowspace.text import HuggingFaceTokenizer
from rowspace.text.tokenizers.huggingface_library import tokens_by_id, translate_errors

__all__ = ["StudentTokens", "student_tokens"]

UNUSED = re.compile(r"[\[<]unused_?\d+[\]>]")
# Thai, Lao, Burmese, Khmer, Kana and Han: text in these scripts has no spaces around words.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
SPLIT_INTO_WORDS = ("WordPiece", "WordLevel")


@dataclass(frozen=True)
class StudentTokens:
    """The tokens of a table that is not learned yet.

    Attributes:
        tokenizer: The text of its tokenizer.json: the teacher's with the extra words, without special tokens around a
            text, truncation and padding.
        vocabulary: The V tokens in the order of their ids.
        inputs: What the teacher reads for each token, with its special tokens; nothing for special and unused tokens,
            which represent no text.
        extra: Number of extra words among them.
        skipped: Number of extra words that are already tokens, or are unknown to the teacher.
    """

    tokenizer: str
    vocabulary: list[str]
    inputs: list[list[int]]
    extra: int
    skipped: int


def student_tokens(teacher: str, words: Iterable[str] = (), *, source: str = "the tokenizer") -> StudentTokens:
    """Return the tokens of a table.

    Args:
        teacher: The text of the teacher's tokenizer.json.
        words: The extra words, which may contain spaces.
        source: The teacher's name in messages.

    Raises:
        FileFormatError: The tokenizer does not open, or its ids have gaps.
        UsageError: A word is not valid UTF-8.

    >>> from rowspace.text import whitespace_json
    >>> tokens = student_tokens(whitespace_json(["cat", "dog"]), ["cat dog", "dog", "bird"])
    >>> tokens.vocabulary, tokens.inputs, tokens.skipped
    (['cat', 'dog', '[UNK]', 'cat dog'], [[0], [1], [], [0, 1]], 2)
    """
    opened = HuggingFaceTokenizer.from_json(teacher, source)
    known = tokens_by_id(opened.library)
    words = [" ".join(word.split()) for word in words]
    encode_token_list(words)  # which says which word is not valid UTF-8
    readable = _readable(opened, words)
    document = json.loads(teacher) | dict.fromkeys(("truncation", "padding", "post_processor"))
    whole, phrases = _sorted_words(opened.library, document, readable, known)
    if whole:
        document["model"]["vocab"] |= {word: len(known) + place for place, word in enumerate(whole)}
    with translate_errors(source):
        student = Tokenizer.from_str(json.dumps(document, ensure_ascii=False))
        student.add_tokens(_added_tokens(phrases, is_split=_is_split(document)))
    first, last = _around(opened.library)
    without_text = {*opened.special_ids, opened.unknown_id}
    inputs = [
        [] if number in without_text or UNUSED.fullmatch(token) else [*first, number, *last]
        for number, token in enumerate(known)
    ]
    extra = [readable[word] for word in (whole | phrases).values()]
    return StudentTokens(student.to_str(), tokens_by_id(student), inputs + extra, len(extra), len(words) - len(extra))


def _readable(teacher: HuggingFaceTokenizer, words: Iterable[str]) -> dict[str, list[int]]:
    """Return what the teacher reads for each distinct word, without words of unknown tokens only."""
    distinct = [word for word in dict.fromkeys(words) if word]
    unknown = {*teacher.special_ids, teacher.unknown_id}
    bare = teacher.encode_batch(distinct)
    whole = teacher.library.encode_batch(distinct)
    return {
        word: encoding.ids
        for word, ids, encoding in zip(distinct, bare, whole, strict=True)
        if not unknown.issuperset(ids.tolist())
    }


def _sorted_words(
    library: Tokenizer, document: dict[str, Any], words: Iterable[str], known: list[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the new entries of the vocabulary and the new added tokens, each with the word that it came from."""
    model, tokens = document["model"], set(known)
    # New entries take the next ids, so that all tokens must be entries: then `add_tokens` numbers on from there.
    takes_entries = model["type"] == "WordPiece" and len(model["vocab"]) == len(known)
    longest = model.get("max_input_chars_per_word") or 0
    whole, phrases = dict[str, str](), dict[str, str]()
    for word, ids in zip(words, library.encode_batch_fast(list(words), add_special_tokens=False), strict=True):
        pieces = _pieces(library, _normalized(library, word))
        is_whole = takes_entries and len(pieces) == 1 and len(pieces[0]) <= longest
        token = pieces[0] if is_whole else _phrase(library, word)
        if len(ids.ids) > 1 and token not in tokens:
            (whole if is_whole else phrases).setdefault(token, word)
    return whole, phrases


def _normalized(library: Tokenizer, word: str) -> str:
    normalized: str = word if library.normalizer is None else library.normalizer.normalize_str(word)
    return normalized


def _phrase(library: Tokenizer, word: str) -> str:
    """Return the content of an added token, normalized unless the library, which normalizes it too, would change it."""
    once = _normalized(library, word).strip()
    return once if _normalized(library, once) == once else word


def _pieces(library: Tokenizer, normalized: str) -> list[str]:
    if library.pre_tokenizer is None:
        return [normalized]
    return [piece for piece, _ in library.pre_tokenizer.pre_tokenize_str(normalized)]


def _added_tokens(phrases: Iterable[str], *, is_split: bool) -> list[AddedToken]:
    """Return the added tokens; where blanks are parts of tokens, each takes the blank before it."""
    return [
        AddedToken(phrase, normalized=True, single_word=not (_is_unspaced(phrase)), lstrip=not is_split)
        for phrase in phrases
    ]


def _is_unspaced(phrase: str) -> bool:
    return bool(UNSPACED.match(phrase[0]) or UNSPACED.match(phrase[-1]))


def _is_split(document: dict[str, Any]) -> bool:
    """Whether words are split at blanks, which are then parts of no token."""
    return document["model"]["type"] in SPLIT_INTO_WORDS


def _around(library: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids that the tokenizer puts before and after a text."""
    return _ends(library, "a") or _ends(library, "1") or ([], [])


def _ends(library: Tokenizer, text: str) -> tuple[list[int], list[int]] | None:
    """Return the special ids before and after the ids of a text, None if the text has no id."""
    bare = len(library.encode(text, add_special_tokens=False).ids)
    encoding = library.encode(text)
    if not bare:
        return None
    begin = next(place for place, special in enumerate(encoding.special_tokens_mask) if not special)
    return encoding.ids[:begin], encoding.ids[begin + bare :]
