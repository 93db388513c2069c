"""The options for turning text into ids."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

from rowspace._base.options import Option, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["TextOptions"]


@dataclass(frozen=True)
class TextOptions:
    """How text becomes ids; the defaults are gensim's if it has one.

    Attributes:
        split: What tokens are: "words" (letters and numbers, without punctuation), or "whitespace": text is
            split at white space only, so that `user-17`, `C++` and `:-)` are tokens.
        pattern: A regular expression (of Oniguruma, as in a tokenizer.json), whose matches are the tokens instead.
        segmenter: What divides phrases of scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) into
            words: "learned" learns the words from the text, if much of it is in such phrases; "jieba" (Chinese),
            "sudachi" (Japanese) and "pythainlp" (Thai) take the words that these libraries find in it; "none" keeps
            phrases. The tokenizer has the words, so that the library is not needed again.
        cased: Keep case; of tokens between white space it is always kept.
        min_count: Leave out rarer words.
        max_vocabulary: Keep only this many of the most frequent words.
        phrases: The most words of a phrase, such as 2 for "new york": neighboring words that occur together more often
            than their counts let expect become one token. `None` learns no phrases.
        phrase_threshold: The least score of a phrase, as in word2phrase: the lower, the more phrases.
        sentences: What ends a sentence: a line, a paragraph (a blank line) or only the document.
        column: The column that holds the text, of files with records; dots separate nested names.
        workers: The number of threads, by default one for each core.

    Raises:
        UsageError: a value is out of range.

    >>> TextOptions(min_count=0)
    Traceback (most recent call last):
    rowspace.errors.UsageError: min_count must be a whole number from 1 to 9,223,372,036,854,775,807, not 0
    """

    split: Annotated[
        Literal["words", "whitespace"],
        Option("Split into words, or at white space only, so that user-17 and C++ are tokens."),
    ] = "words"
    pattern: Annotated[
        str | None,
        Option("A regular expression whose matches are the tokens, instead of words.", default="words"),
    ] = None
    segmenter: Annotated[
        Literal["learned", "none", "jieba", "sudachi", "pythainlp"],
        Option("What divides Chinese, Japanese, Thai, Lao, Khmer and Burmese phrases into words."),
    ] = "learned"
    cased: Annotated[bool, Option("Keep case.", default="lowercase all", flags="--cased")] = False
    min_count: Annotated[int, Option("Leave out rarer words.", minimum=1, maximum=2**63 - 1)] = 5  # counts are int64
    max_vocabulary: Annotated[
        int | None,
        Option(
            "Keep at most this many words, the most frequent.", minimum=1, maximum=2**31 - 1, default="all"
        ),  # ids are int32
    ] = None
    phrases: Annotated[
        int | None, Option("Learn phrases of up to this many words, as tokens.", minimum=2, maximum=8, default="none")
    ] = None
    phrase_threshold: Annotated[
        float, Option("Least score of a phrase; lower gives more of them.", minimum=0.0, maximum=1e12)
    ] = 100.0
    sentences: Annotated[
        Literal["line", "paragraph", "document"],
        Option("What ends a sentence.", default="line; standard library paragraph"),
    ] = "line"
    column: Annotated[
        str | None,
        Option("The column with the text, in files with records (JSON, CSV, Parquet).", default="plain text"),
    ] = None
    workers: Annotated[int, Option("Threads.", minimum=1, maximum=1_024, default="all cores")] = dataclasses.field(
        default_factory=available_cores
    )

    def __post_init__(self) -> None:
        validate_options(self)
        if self.column is not None and not (isinstance(self.column, str) and self.column):
            raise UsageError(f"column must be the name of a column, not {self.column!r}")
        if self.pattern is not None:
            _check_pattern(self.pattern)
            other = "split" if self.split != "words" else "phrases" if self.phrases is not None else None
            if other:
                raise UsageError(f"pattern says what a token is, and {other} too; omit one of the two options")
        if self.segmenter != "learned" and (self.split != "words" or self.pattern is not None):
            raise UsageError("a segmenter finds words, but split or pattern says what a token is; omit one of the two")
        if self.split == "whitespace" and self.phrases is not None:
            raise UsageError("phrases are of words, but split is 'whitespace'; omit one of the two options")


def _check_pattern(pattern: object) -> None:
    """Raise UsageError unless this is a regular expression, for example if a bracket is not closed."""
    from tokenizers import Regex, pre_tokenizers

    if not isinstance(pattern, str) or not pattern:
        raise UsageError(f"pattern must be a regular expression, not {pattern!r}")
    try:
        pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    except Exception as error:  # the library raises nothing narrower
        reason = str(error).removeprefix("Oniguruma error: ")
        raise UsageError(f"pattern {pattern!r} is not a regular expression: {reason}; repair it") from None
