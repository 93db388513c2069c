"""The options for splitting text into tokens and for training a tokenizer."""

import dataclasses
import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_args

from rowspace._base.options import Option, validate_options
from rowspace.errors import UsageError

__all__ = ["TRAINED", "WORDS", "WORDS_ONLY", "TokenizerOptions"]

WORDS = "words"
WORDS_ONLY = ("split", "pattern", "segmenter", "cased", "min_count", "max_vocabulary", "phrases", "phrase_threshold")
"""The fields of `TextOptions` that apply to words only."""

Normalization = Literal["none", "nfc", "nfkc", "lower", "bert"]
Pretokenization = Literal["gpt2", "llama3", "bert", "whitespace", "metaspace"]
_NORMALIZATIONS, _PRETOKENIZATIONS = get_args(Normalization), get_args(Pretokenization)
_OVER_BYTES = ("gpt2", "llama3")  # with these no text is unknown
_UNKNOWN_TOKENS = ("[UNK]", "<unk>")


class _Defaults(NamedTuple):
    """The defaults of one kind of tokens, None if it has none; `pretokenize` has all choices, the default first."""

    vocabulary_size: int | None
    normalize: str
    pretokenize: tuple[str, ...]
    min_frequency: int | None


TRAINED = {
    "bpe": _Defaults(32_000, "none", _PRETOKENIZATIONS, 5),
    "wordpiece": _Defaults(32_000, "bert", ("bert", "whitespace"), 5),
    "unigram": _Defaults(32_000, "nfkc", ("metaspace",), None),
    "bytes": _Defaults(None, "none", (), None),
    "chars": _Defaults(None, "none", (), 5),
}


@dataclass(frozen=True)
class TokenizerOptions:
    """The tokens that a text is split into. Options that are None get the default of the kind of tokens.

    Attributes:
        tokens: "words", or what is trained on the text: "bpe", "wordpiece", "unigram", "chars", or "bytes", which
            need no training; or the path of a tokenizer.json, or of a folder with one, which is used unchanged.
        vocabulary_size: maximum number of tokens, including special ones: 32,000 by default; chars keeps all.
        normalize: "none", "nfc", "nfkc", "lower", or "bert" (lowercase and no accents). The default is "bert" for
            wordpiece, "nfkc" for unigram, "none" for the others.
        pretokenize: boundaries that no token crosses: "gpt2" or "llama3" (their patterns, over bytes), "bert" (white
            space and punctuation), "whitespace", "metaspace" (white space, a token begins with it). bpe accepts
            each, by default "gpt2"; wordpiece "bert" or "whitespace"; unigram "metaspace".
        special: special tokens. If text can be unknown, `[UNK]` is put before them unless they contain it (or `<unk>`).
        min_frequency: minimum count of a pair to be merged (bpe, wordpiece) or of a character to be a token (chars); 5
            by default.

    Raises:
        UsageError: a value is invalid, or has no meaning with these tokens.

    >>> options = TokenizerOptions("wordpiece", special=["[CLS]", "[SEP]"])
    >>> options.vocabulary_size, options.normalize, options.special
    (32000, 'bert', ('[UNK]', '[CLS]', '[SEP]'))
    """

    tokens: Annotated[
        str | os.PathLike[str],
        Option("words; bpe, wordpiece, unigram, bytes or chars, trained on the text; or a tokenizer.json."),
    ] = WORDS
    vocabulary_size: Annotated[
        int | None,  # the library reserves room for it
        Option(
            "Maximum number of tokens, including special ones.",
            minimum=1,
            maximum=2_000_000,
            default="32000; chars all",
        ),
    ] = None
    normalize: Annotated[
        Normalization | None,
        Option("Normalization of the text before it is split.", default="none; wordpiece bert; unigram nfkc"),
    ] = None
    pretokenize: Annotated[
        Pretokenization | None,
        Option(
            "Pre-tokenizer: tokens do not cross its boundaries.", default="bpe gpt2; wordpiece bert; unigram metaspace"
        ),
    ] = None
    special: Annotated[
        Iterable[str] | None,
        Option("A special token to add; repeat for more.", default="[UNK] if text can be unknown"),
    ] = None
    min_frequency: Annotated[
        int | None,
        Option(
            "Minimum count of a pair to be merged, or of a character to be a token.",
            minimum=1,
            maximum=2**63 - 1,
            default="5; unigram has none",
        ),
    ] = None

    def __post_init__(self) -> None:
        self._set("tokens", _validate_tokens(self.tokens))
        defaults = TRAINED.get(str(self.tokens))
        if defaults is None:
            self._reject(*(field.name for field in dataclasses.fields(self) if field.name != "tokens"))
            return
        self._set("normalize", self._chosen("normalize", (defaults.normalize, *_NORMALIZATIONS)))
        self._set("pretokenize", self._chosen("pretokenize", defaults.pretokenize))
        self._set("special", self._special(_validate_special(self.special)))
        if defaults.min_frequency is None:
            self._reject("min_frequency")
        if self.tokens == "bytes":
            self._reject("vocabulary_size")
        for name in ("vocabulary_size", "min_frequency"):
            if getattr(self, name) is None:
                self._set(name, getattr(defaults, name))
        validate_options(self)

    @property
    def is_words(self) -> bool:
        """Whether the text is split into words, which need no tokenizer."""
        return self.tokens == WORDS

    @property
    def is_trained(self) -> bool:
        """Whether the tokenizer is made for the text."""
        return self.tokens in TRAINED

    @property
    def reads_text(self) -> bool:
        """Whether the text must be read to make the tokenizer."""
        return self.is_trained and self.tokens != "bytes"

    @property
    def over_bytes(self) -> bool:
        """Whether the trained tokens are made of bytes, so that no text is unknown."""
        return self.tokens == "bytes" or self.pretokenize in _OVER_BYTES

    @property
    def repeats(self) -> bool:
        """Whether the same text always trains the same tokenizer.

        Where words have marks inside (`##`) or at their end, the library numbers characters in the order of a hash
        table, and breaks ties by these numbers.
        """
        marked = self.tokens == "bpe" and self.pretokenize in ("bert", "whitespace")
        return self.tokens != "wordpiece" and not marked

    @property
    def special_tokens(self) -> list[str]:
        """The special tokens in the order of their ids, the unknown token among them."""
        return list(self.special or ())

    @property
    def unknown_token(self) -> str | None:
        """The token for text that no other token covers; None if there is no such text."""
        return next((token for token in self.special_tokens if token in _UNKNOWN_TOKENS and not self.over_bytes), None)

    def settings(self) -> dict[str, Any]:
        """Return the options that apply, as JSON values.

        >>> TokenizerOptions().settings()
        {'tokens': 'words'}
        """
        values = dataclasses.asdict(self) | {"special": self.special_tokens if self.is_trained else None}
        return {name: value for name, value in values.items() if value is not None}

    def refuse_word_options(self, names: Iterable[str]) -> None:
        """Raise UsageError if an option that applies to words only is set for other tokens."""
        for name in WORDS_ONLY:
            if name in names and not self.is_words:
                alternatives = {"cased": "normalize", "min_count": "min_frequency", "max_vocabulary": "vocabulary_size"}
                hint = f"; see {alternatives[name]}" if self.is_trained and name in alternatives else ""
                raise UsageError(f"{name} has no meaning with tokens={self.tokens!r}; leave it out{hint}")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # it is frozen from here on

    def _reject(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                meant = "" if self.is_trained else f": it is for {', '.join(_kinds_with(name))}"
                hint = "; see max_vocabulary" if self.is_words and name == "vocabulary_size" else ""
                raise UsageError(f"{name} has no meaning with tokens={self.tokens!r}{meant}; leave it out{hint}")

    def _chosen(self, name: str, choices: tuple[str, ...]) -> str | None:
        """Return the validated value of an option, or the first choice if it is None."""
        value: str | None = getattr(self, name)
        if value is not None and value not in choices:
            if not choices:
                self._reject(name)
            known = ", ".join(dict.fromkeys(choices))
            raise UsageError(f"{name} must be one of {known} with tokens={self.tokens!r}, not {value!r}")
        return value or next(iter(choices), None)

    def _special(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return the special tokens, after an unknown token if they lack one."""
        if self.over_bytes or any(token in _UNKNOWN_TOKENS for token in tokens):
            return tokens
        return (_UNKNOWN_TOKENS[0], *tokens)


def _kinds_with(name: str) -> list[str]:
    """The kinds of tokens that an option has a meaning with."""
    if name == "vocabulary_size":  # characters are not limited by default, and can be
        return [tokens for tokens in TRAINED if tokens != "bytes"]
    return [tokens for tokens, defaults in TRAINED.items() if getattr(defaults, name, True) not in (None, ())]


def _validate_tokens(tokens: object) -> str:
    """Return a kind of tokens or a path, as a string."""
    if isinstance(tokens, os.PathLike):
        return str(os.fspath(tokens))
    is_path = isinstance(tokens, str) and os.path.exists(tokens)  # noqa: PTH110  # Path.exists raises for long names
    if isinstance(tokens, str) and (tokens == WORDS or tokens in TRAINED or is_path):
        return tokens
    kinds = [WORDS, *TRAINED]
    near = difflib.get_close_matches(str(tokens), kinds, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"tokens must be one of {', '.join(kinds)} or the path of a tokenizer.json, not {tokens!r}{hint}")


def _validate_special(special: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(special, str):
        raise UsageError(f"special must be a list of tokens, not one string, {special!r}; put it into a list")
    tokens = tuple(special or ())
    for index, token in enumerate(tokens):
        if not isinstance(token, str) or not token or token in tokens[:index]:
            raise UsageError(f"special must hold distinct tokens with text, but item {index} is {token!r}")
    return tokens
