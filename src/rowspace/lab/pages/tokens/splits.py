"""The Tokens page: a text at several vocabulary sizes, and byte pairs joined one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.tokens.sources import SOURCES, Cut, Source, cut_of, is_ready, source_of
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.default_words import is_code
from rowspace.text import Merge, split_tokens, trace_encoding, trace_training
from rowspace.text.characters import clean, readable
from rowspace.text.inspect.alignment import align_text

__all__ = ["ROUTES"]

_CODE = "def unbelievable(self): raise TypeError"
_TEXT = "The unbelievable cat sat on the mat"
_TO_MERGE = "the cat sat on the mat the cat"
_SHOWN_SIZES = 4
_MOST_SIZES = 6
_MOST_MERGES = 1000


def source(lab: Lab, query: Query) -> Reply:
    """`tokenizer` → its kind and the sizes that it can be cut to; `found` is null where there is none, or none yet.

    The standard tokenizer is learned by a job of the kind "standard-tokenizer"; with `wait` it is waited for.
    """
    name = query.choice("tokenizer", SOURCES)
    ready = is_ready(lab, name) or (query.flag("wait", False) and name == "standard")
    code = f"{lab.load_code}\nnum_rows = [len(table)]"
    return Reply({"found": _facts(lab, name) if ready else None, "code": code}, num_rows=[len(lab.table)])


def split(lab: Lab, query: Query) -> Reply:
    """`text`, `tokenizer`, `sizes` → the text's tokens at each size of the vocabulary, one size after the other.

    `ids` are those of the whole vocabulary; `counts` say how often each token was trained, -1 where that is not known;
    `num_tokens` is how many tokens each size makes. Of each size: how many tokens are `unknown` and the share of the
    characters in them, `unknown_share`; `bytes_per_token` of the known ones, and `tokens_per_word` where all are known.
    """
    name = query.choice("tokenizer", SOURCES, "table" if lab.table.tokenizer else "standard")
    text = clean(query.text("text", _CODE if name == "standard" or is_code(lab.table) else _TEXT))
    source = source_of(lab, name)
    sizes = _sizes(query, source)
    cuts = [cut_of(lab, name, size) for size in sizes]
    splits = [_split(text, source, cut) for cut in cuts]
    meta = {
        "text": text,
        "tokenizer": name,
        "splits": [{"size": size, **each.facts} for size, each in zip(sizes, splits, strict=True)],
        "most": None if source.counts is None else max(cut.most for cut in cuts),
        "code": f"{_tokenizer_code(lab, source, name, 'tokenize_at_sizes')}\n{_split_code(text, sizes, source)}",
    }
    return Reply(
        meta,
        ids=_ints([number for each in splits for number in each.ids]),
        counts=_ints([count for each in splits for count in each.counts]),
        num_tokens=_ints([len(each.ids) for each in splits]),
    )


def merges(lab: Lab, query: Query) -> Reply:
    """`text`, `tokenizer` ("text": learn from it alone) → its merges, and the step that joined each symbol.

    `joined` is that step for each symbol that the text was first, 0 for one that was never joined to what stands before
    it; `ends` says where in `utf8` each symbol ends, `begins` whether a word begins with it. So the page can show
    the tokens after any step.
    """
    text = clean(query.text("text", _TO_MERGE))
    name = query.choice("tokenizer", ("text", *SOURCES), "text")
    source = None if name == "text" else source_of(lab, name)
    found = list(trace_training(text, _MOST_MERGES) if source is None else trace_encoding(text, source.tokenizer))
    symbols = _symbols(text, source, found)
    data = [_utf8(symbol, source) for symbol, _ in symbols]
    meta = {
        "text": text,
        "tokenizer": name,
        "merges": [[readable(_utf8(part, source)) for part in (m.left, m.right, m.merged)] for m in found],
        "code": _merges_code(lab, source, name, text),
    }
    return Reply(
        meta,
        counts=_ints([merge.count for merge in found]),
        ranks=_ints([merge.rank for merge in found]),
        joined=_ints([step for _, step in symbols]),
        utf8=np.frombuffer(b"".join(data), np.uint8),
        ends=np.cumsum(_ints([len(part) for part in data])),
        begins=_begins(text, len(symbols)) if source is None else np.zeros(len(symbols), np.uint8),
    )


def _facts(lab: Lab, name: str) -> dict[str, object]:
    found = source_of(lab, name)
    return {"kind": found.tokenizer.kind, "sizes": found.sizes, "shown": _shown(found.sizes)}


def _shown(sizes: Sequence[int]) -> list[int]:
    """Some of the sizes, from the smallest to the whole."""
    places = np.linspace(0, len(sizes) - 1, min(_SHOWN_SIZES, len(sizes))).round().astype(int)
    return [sizes[place] for place in places]


def _sizes(query: Query, source: Source) -> list[int]:
    """The sizes that were asked for, each one of those that there are."""
    wanted = query.numbers("sizes", _shown(source.sizes), most=_MOST_SIZES)
    wrong = next((size for size in wanted if size not in source.sizes), None)
    if wrong is not None:
        raise UsageError(f"sizes must be some of {', '.join(map(str, source.sizes))}, not {wrong:g}")
    return [int(size) for size in wanted]


class _Split(NamedTuple):
    """The tokens of a text at one size."""

    facts: Mapping[str, object]
    ids: list[int]
    counts: list[int]


def _split(text: str, source: Source, cut: Cut) -> _Split:
    pieces = split_tokens(text, cut.tokenizer, counts=cut.counts, ids=source.ids)
    found = cut.tokenizer.encode_with_offsets([text])[0]
    unknown = found.ids == (-1 if cut.tokenizer.unknown_id is None else cut.tokenizer.unknown_id)
    aligned = align_text(text, found.offsets, unknown)
    known = len(text.encode()) - sum(len(text[start:end].encode()) for start, end in found.offsets[unknown].tolist())
    facts = {
        "tokens": [piece.token for piece in pieces],
        "texts": [
            _text_of(cut, number, text[start:end])
            for number, (start, end) in zip(found.ids.tolist(), found.offsets.tolist(), strict=True)
        ],
        "kinds": [cut.kinds.get(number, "") for number in found.ids.tolist()],
        "tokens_per_word": aligned.word_pieces / aligned.words if aligned.words and not unknown.any() else None,
        "bytes_per_token": known / int((~unknown).sum()) if not unknown.all() else None,
        "unknown": int(unknown.sum()),
        "unknown_share": aligned.unknown_characters / aligned.characters if aligned.characters else 0.0,
    }
    counts = [-1 if piece.count is None else piece.count for piece in pieces]
    return _Split(facts, [piece.id for piece in pieces], counts)


def _text_of(cut: Cut, number: int, original: str) -> str:
    """What a token stands for; what it stood in for, where that is not told by its id."""
    data = cut.tokenizer.token_bytes(number)
    return original if data is None else readable(data)


def _symbols(text: str, source: Source | None, found: Sequence[Merge]) -> list[tuple[str, int]]:
    """What the text was before all merges, each with the step that joined it to what stands before it."""
    if found:
        return found[-1].joins
    tokens = "".join(text.split()) if source is None else [p.token for p in split_tokens(text, source.tokenizer)]
    return [(token, 0) for token in tokens]


def _utf8(token: str, source: Source | None) -> bytes:
    """The bytes of text that a token is."""
    number = None if source is None else source.ids.get(token)
    data = None if source is None or number is None else source.tokenizer.token_bytes(number)
    return token.encode(errors="replace") if data is None else data


def _begins(text: str, num_symbols: int) -> NDArray[np.uint8]:
    """Which characters of the text without white space are the first of a word."""
    begins = np.zeros(num_symbols, np.uint8)
    begins[np.cumsum([0, *map(len, text.split())])[:-1]] = 1
    return begins


def _ints(values: Sequence[int]) -> NDArray[Any]:
    return np.array(values, np.int64)


def _tokenizer_code(lab: Lab, source: Source, name: str, function: str) -> str:
    """The lines that make `tokenizer`, and `known`, its counts, where there are any."""
    if name == "standard":
        known = "known" if function == "tokenize_at_sizes" else "_"
        return f"from rowspace.text import {function}, default_tokenizer\n\ntokenizer, {known} = default_tokenizer()"
    lines = [
        lab.load_code,
        f"from rowspace.text import Tokenizer, {function}",
        "",
        "tokenizer = Tokenizer.of_table(table)",
    ]
    if source.counts is not None and function == "tokenize_at_sizes":
        lines.append("known = dict(zip(table.vocabulary, table.counts.tolist()))")
    return "\n".join(lines)


def _split_code(text: str, sizes: Sequence[int], source: Source) -> str:
    known = "" if source.counts is None else ", counts=known"
    return "\n".join(
        (
            f"splits = tokenize_at_sizes({text!r}, tokenizer, {list(sizes)}{known})",
            "num_tokens = [len(pieces) for pieces in splits.values()]",
            "ids = [piece.id for pieces in splits.values() for piece in pieces]",
            "counts = [-1 if piece.count is None else piece.count for pieces in splits.values() for piece in pieces]",
        )
    )


def _merges_code(lab: Lab, source: Source | None, name: str, text: str) -> str:
    if source is None:
        lines = [
            "from rowspace.text import trace_training",
            "",
            f"merges = list(trace_training({text!r}, {_MOST_MERGES}))",
        ]
    else:
        lines = [
            _tokenizer_code(lab, source, name, "trace_encoding"),
            f"merges = list(trace_encoding({text!r}, tokenizer))",
        ]
    return "\n".join((*lines, "counts = [merge.count for merge in merges]", "ranks = [merge.rank for merge in merges]"))


ROUTES: Mapping[str, Answer] = {"tokens/source": source, "tokens/split": split, "tokens/merges": merges}
