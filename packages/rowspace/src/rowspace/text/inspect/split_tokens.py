"""The tokens of a text, each with its id and its count."""

from collections.abc import Mapping
from dataclasses import dataclass

from rowspace.text.tokenizers.huggingface import AnyTokenizer, as_tokenizer

__all__ = ["SplitToken", "split_tokens"]


@dataclass(frozen=True)
class SplitToken:
    """A token of a text, its id, and its count in training, if known."""

    token: str
    id: int
    count: int | None = None


def split_tokens(
    text: str, tokenizer: AnyTokenizer, *, counts: Mapping[str, int] | None = None, ids: Mapping[str, int] | None = None
) -> list[SplitToken]:
    """Return the tokens of a text, without special tokens around it and without truncation.

    Args:
        text: The text.
        tokenizer: Any tokenizer.
        counts: The counts of tokens; one without has 0.
        ids: The ids to show, by token, instead of the tokenizer's own.

    Raises:
        UsageError: the tokenizer fails on the text.
    """
    source = as_tokenizer(tokenizer)
    encoding = source.encode_with_offsets([text])[0]
    pieces = list[SplitToken]()
    for shown, number in zip(encoding.tokens, encoding.ids.tolist(), strict=True):
        token = source.token(number)  # for an unknown token, unigram shows the text itself
        count = None if counts is None else counts.get(token, 0)
        pieces.append(SplitToken(shown, number if ids is None else ids[token], count))
    return pieces
