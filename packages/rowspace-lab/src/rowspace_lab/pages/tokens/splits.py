"""The routes of the Tokens page for its tokenizers, and for a text at several vocabulary sizes."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace.files.byte_tokens import text_of_bytes
from rowspace.text import Tokenizer, split_tokens
from rowspace.text.characters import clean
from rowspace.text.inspect.alignment import align_text
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.tokens import figures
from rowspace_lab.pages.tokens.replies import SourceReply, Split, SplitsReply, TokenizerSizes
from rowspace_lab.pages.tokens.sources import SOURCES, Source, cut_of, is_ready, source_of, token_kinds
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import is_code
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES", "default_text", "read_split", "split_text"]

_CODE = "def unbelievable(self): raise TypeError"
_TEXT = "The unbelievable cat sat on the mat"
_SHOWN_SIZES = 4
_MAX_SIZES = 6


def source(lab: Lab, query: Query) -> SourceReply:
    """Return the kind and sizes of a `tokenizer`.

    The default tokenizer is learned by a job of the kind "default-tokenizer", or by this request if `wait` is true.
    """
    name = query.choice("tokenizer", SOURCES)
    ready = is_ready(lab, name) or (query.flag("wait", False) and name == "default")
    return {"found": _facts(lab, name) if ready else None}


def split(lab: Lab, query: Query) -> SplitsReply:
    """Return the tokens of `text` at each of the vocabulary `sizes` of `tokenizer`."""
    name, text, sizes = read_split(lab, query)
    source = source_of(lab, name)
    cuts = [cut_of(lab, name, size) for size in sizes]
    figure = partial(figures.splits_figure, text=text)
    code = shown(
        lab,
        figure,
        opened=figures.opened(name),
        cuts=partial(figures.cut_to_sizes, sizes=sizes),
        ids=partial(figures.ids_of),
    )
    return {
        **figure([(cut.tokenizer, cut.counts) for cut in cuts], source.ids),
        "text": text,
        "tokenizer": name,
        "splits": [split_text(text, cut.tokenizer, cut.kinds, size) for cut, size in zip(cuts, sizes, strict=True)],
        "most": None if source.counts is None else max(cut.most for cut in cuts),
        "code": code,
    }


def read_split(lab: Lab, query: Query) -> tuple[str, str, list[int]]:
    """Read the name of the tokenizer, the text, and the sizes, which must be sizes of the tokenizer."""
    name = query.choice("tokenizer", SOURCES, "table" if lab.table.tokenizer else "default")
    return name, default_text(lab, query), _sizes(query, source_of(lab, name))


def default_text(lab: Lab, query: Query) -> str:
    """Read `text`, by default a line of code for a table learned from code, else a sentence."""
    return clean(query.text("text", _CODE if is_code(lab.table) else _TEXT))


def _facts(lab: Lab, name: str) -> TokenizerSizes:
    found = source_of(lab, name)
    return {"kind": found.tokenizer.kind, "sizes": list(found.sizes), "shown": _shown(found.sizes)}


def _shown(sizes: Sequence[int]) -> list[int]:
    """Choose default sizes, evenly from the smallest to the largest."""
    places = np.linspace(0, len(sizes) - 1, min(_SHOWN_SIZES, len(sizes))).round().astype(int)
    return [sizes[place] for place in places]


def _sizes(query: Query, source: Source) -> list[int]:
    """Read the sizes of the request, which must be sizes of the source."""
    requested = query.numbers("sizes", _shown(source.sizes), limit=_MAX_SIZES)
    wrong = next((size for size in requested if size not in source.sizes), None)
    if wrong is not None:
        raise UsageError(f"sizes must be some of {', '.join(map(str, source.sizes))}, not {wrong:g}")
    return [int(size) for size in requested]


def split_text(
    text: str, tokenizer: Tokenizer, kinds: Mapping[int, str] | None = None, size: int | None = None
) -> Split:
    """Tokenize a text, and compute its statistics; `kinds` and `size` are the tokenizer's own by default."""
    kinds = token_kinds(tokenizer) if kinds is None else kinds
    found = tokenizer.encode_with_offsets([text])[0]
    unknown = found.ids == (-1 if tokenizer.unknown_id is None else tokenizer.unknown_id)
    aligned = align_text(text, found.offsets, unknown)
    known = len(text.encode()) - sum(len(text[start:end].encode()) for start, end in found.offsets[unknown].tolist())
    return {
        "size": len(tokenizer) if size is None else size,
        "tokens": [piece.token for piece in split_tokens(text, tokenizer)],
        "texts": [
            _text_of(tokenizer, number, text[start:end])
            for number, (start, end) in zip(found.ids.tolist(), found.offsets.tolist(), strict=True)
        ],
        "kinds": [kinds.get(number, "") for number in found.ids.tolist()],
        "tokens_per_word": aligned.word_pieces / aligned.words if aligned.words and not unknown.any() else None,
        "bytes_per_token": known / int((~unknown).sum()) if not unknown.all() else None,
        "unknown": int(unknown.sum()),
        "unknown_share": aligned.unknown_characters / aligned.characters if aligned.characters else 0.0,
    }


def _text_of(tokenizer: Tokenizer, number: int, original: str) -> str:
    """Return the text of a token; for tokens without text, such as unknown ones, return the original text."""
    data = tokenizer.token_bytes(number)
    return original if data is None else text_of_bytes(data)


ROUTES: Mapping[str, Handler] = {"tokens/source": source, "tokens/split": split}
