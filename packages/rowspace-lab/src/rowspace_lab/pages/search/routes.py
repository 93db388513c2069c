"""The routes of the Search page: the state of the index, the passages that answer a question, and the map."""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from rowspace.errors import RowspaceError, UsageError
from rowspace.search import Evidence, Hit, Index, IndexOptions, query_terms
from rowspace.search.ranking.scores import Rankings
from rowspace.search.reading.files import find_files
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search.listing import build_code, map_code, open_code, search_code
from rowspace_lab.pages.search.marks import marks
from rowspace_lab.pages.search.passage_map import MAX_ON_MAP, passage_map
from rowspace_lab.pages.search.replies import (
    FoundPassage,
    PassageMapReply,
    PassagesReply,
    QuestionPlaceReply,
    SearchIndexReply,
)
from rowspace_lab.pages.search.source import (
    IndexPlace,
    SearchSource,
    encoder_of,
    is_of_a_sentence_encoder,
    missing_extra,
    open_index,
)
from rowspace_lab.server.query import Query

__all__ = ["HANDLERS"]

_COUNTED = 10_000  # files, before there is an index
_EXAMPLES = 3


def state(source: SearchSource, lab: Lab, _: Query) -> SearchIndexReply:
    """The files, and their index with the table. `at` only tells requests apart."""
    reply = SearchIndexReply(
        code="",
        missing=missing_extra(),
        problem=None,
        note="",
        folder=str((source.path or Path()).resolve()),
        is_named=False,
        other_table=None,
        state="none",
        found=0,
        found_all=True,
        max_megabytes=IndexOptions().max_megabytes,
        files=0,
        passages=0,
        version=0,
        ended=None,
        skipped=[],
        examples=[],
    )
    if lab.table.tokenizer is None and lab.table.subwords is None:
        reply["problem"] = "This table has no tokenizer, so it cannot turn passages into vectors."
    if reply["missing"] or reply["problem"]:
        return reply
    try:
        place = source.place(encoder_of(lab))
        index = open_index(place, encoder_of(lab))
    except RowspaceError as error:
        reply["problem"] = str(error)
        return reply
    if is_of_a_sentence_encoder(lab):
        reply["note"] = (
            "This table has the rows of a sentence encoder's tokens, which are not its vectors. rowspace index runs it "
            "with --encoder, and makes a table of it, which finds more, without one."
        )
    reply["code"] = build_code(lab, place)
    reply["is_named"], reply["other_table"] = place.is_named, place.other_table
    if index is None:
        found = sum(1 for _ in islice(find_files(place.roots), _COUNTED + 1))
        reply["found"], reply["found_all"] = min(found, _COUNTED), found <= _COUNTED
        return reply
    if index.settings.records is not None:
        reply["code"] = open_code(lab, index)
    return _with_index(reply, place, index)


def _with_index(reply: SearchIndexReply, place: IndexPlace, index: Index) -> SearchIndexReply:
    """Add what the index has."""
    run = place.last_run()
    reply["state"] = "ready" if place.is_named or run is not None else "partial"
    reply["files"], reply["passages"], reply["version"] = len(index.files()), len(index), index.version
    reply["max_megabytes"] = index.settings.max_megabytes
    if run is not None:
        reply["ended"] = run.get("ended")
        reply["skipped"] = sorted(dict(run.get("skipped", {})).items())
    reply["examples"] = _examples(index)
    return reply


def _examples(index: Index) -> list[str]:
    """Return a few headings of two to six words, at equal distances."""
    names = [name.rpartition(" > ")[2] for name in index.names()]
    words = [name for name in dict.fromkeys(names) if 2 <= len(name.split()) <= 6 and name.replace(" ", "").isalpha()]
    return [words[(2 * number + 1) * len(words) // (2 * _EXAMPLES)] for number in range(min(_EXAMPLES, len(words)))]


def results(source: SearchSource, lab: Lab, query: Query) -> PassagesReply:
    """`text`, `path`, `k` → the passages that answer a question. `at` only tells requests apart."""
    text, path, k = query.text("text"), query.text("path", "") or None, query.integer("k", 10, low=1, high=50)
    index, place = _opened(source, lab)
    found = index.rankings(text, k=k, path=path)
    hits = list({(hit.path, hit.chunk): hit for ranking in found for hit in ranking}.values())
    number = {(hit.path, hit.chunk): at for at, hit in enumerate(hits)}
    why = index.evidence(text, hits)
    terms = query_terms(text)
    fields = {
        "query": text,
        "terms": terms,
        "has_vector": bool(np.any(index.query_vector(text))),
        "passages": [_passage(hit, place, found, each) for hit, each in zip(hits, why, strict=True)],
        **{name: [number[hit.path, hit.chunk] for hit in ranking] for name, ranking in found._asdict().items()},
        "codes": {
            mode: search_code(lab, index, text, k=k, path=path, mode=mode) for mode in ("hybrid", "dense", "lexical")
        },
    }
    return cast("PassagesReply", {**fields, **marks(why, len(terms))})


def _passage(hit: Hit, place: IndexPlace, found: Rankings, why: Evidence) -> FoundPassage:
    key = (hit.path, hit.chunk)
    rank, score = next(
        ((rank, each.score) for rank, each in enumerate(found.hybrid, 1) if (each.path, each.chunk) == key),
        (None, None),
    )
    return {
        "path": hit.path if hit.metadata is not None else _relative(hit.path, place),
        "chunk": hit.chunk,
        "first_line": hit.first_line,
        "last_line": hit.last_line,
        "is_pdf": hit.path.lower().endswith(".pdf"),
        "name": hit.name,
        "metadata": hit.metadata_line(),
        "text": hit.text,
        "hybrid_rank": rank,
        "dense_rank": hit.dense_rank,
        "lexical_rank": hit.lexical_rank,
        "score": score,
        "cosine": why.cosine,
        "title_share": why.title,
        "opening_share": why.opening,
        "bm25": float(why.scores.sum()),
    }


def passages(source: SearchSource, lab: Lab, query: Query) -> PassageMapReply:
    """`limit` → that many passages on a map. `at` only tells requests apart."""
    limit = query.integer("limit", MAX_ON_MAP, low=2, high=MAX_ON_MAP)
    index, place = _opened(source, lab)
    if not len(index):
        raise UsageError("the index has no passages; add text to the folder, and update it")
    found = passage_map(index, limit)
    files = {path: number for number, path in enumerate(dict.fromkeys(found.paths))}
    return {
        "code": map_code(lab, index, limit),
        "paths": [_relative(path, place) for path in files],
        "passages": len(index),
        "positions": found.projection.positions,
        "file": np.array([files[path] for path in found.paths], np.int32),
        "chunk": found.chunks,
        "first_line": found.first_lines,
        "share": found.projection.share,
    }


def question(source: SearchSource, lab: Lab, query: Query) -> QuestionPlaceReply:
    """`text` → where it lies on the map. `at` only tells requests apart."""
    text = query.text("text")
    index, _ = _opened(source, lab)
    return {"query": text, "xy": passage_map(index).place(index.query_vector(text)).astype(np.float32)}


def _opened(source: SearchSource, lab: Lab) -> tuple[Index, IndexPlace]:
    encoder = encoder_of(lab)
    place = source.place(encoder)
    index = open_index(place, encoder)
    if index is None:
        raise UsageError("these files have no index with this table; press Index on the Search page")
    return index, place


def _relative(path: str, place: IndexPlace) -> str:
    found = Path(path)
    return str(found.relative_to(place.base)) if found.is_relative_to(place.base) else path


HANDLERS: Mapping[str, Callable[[SearchSource, Lab, Query], Mapping[str, Any]]] = {
    "search/index": state,
    "search/results": results,
    "search/map": passages,
    "search/question": question,
}
