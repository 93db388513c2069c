"""The routes that compare tokenizers: those of the page, others of this machine, and uploaded ones."""

from collections.abc import Mapping
from functools import partial

from rowspace.errors import RowspaceError, UsageError
from rowspace.text import Tokenizer, open_tokenizer
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, Upload
from rowspace_lab.pages.tokens.comparison_figures import comparison_figure, open_each
from rowspace_lab.pages.tokens.replies import ComparedTokenizer, ComparisonReply, TokenizerChoice, TokenizersReply
from rowspace_lab.pages.tokens.sources import SOURCES, is_ready, source_of
from rowspace_lab.pages.tokens.splits import default_text, split_text
from rowspace_lab.pages.tokens.tokenizer_files import MAX_FILE, FoundTokenizer, Uploads, find_tokenizers
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

_MAX_COMPARED = 4
_TITLES = {"table": "The table’s tokenizer", "default": "BPE of the standard library"}
_UPLOADS = Uploads()  # of all tables: their ids do not depend on the table


def tokenizers(lab: Lab, query: Query) -> TokenizersReply:
    """Return the tokenizers that can be compared; a POST request first adds the tokenizer.json in its body."""
    uploaded = None
    if query.body is not None:
        uploaded = _UPLOADS.keep(query.body, query.text("file", "tokenizer.json", max_length=300))
    choices: list[TokenizerChoice] = [
        {"id": name, "title": _TITLES[name], "place": "this page"} for name in SOURCES if is_ready(lab, name)
    ]
    choices += [{"id": each.id, "title": each.title, "place": each.place} for each in find_tokenizers()]
    choices += [{"id": name, "title": title, "place": "uploaded"} for name, title in _UPLOADS.titles()]
    return {"tokenizers": choices, "uploaded": uploaded}


def comparison(lab: Lab, query: Query) -> ComparisonReply:
    """Return the tokens of `text` by each of the tokenizers with the ids `with`."""
    ready = [name for name in SOURCES if is_ready(lab, name)]
    names = query.texts("with", ready or ["default"], limit=_MAX_COMPARED)
    text = default_text(lab, query)
    compared, opened, sources = list[ComparedTokenizer](), list[Tokenizer](), list[str]()
    for name in names:
        facts, tokenizer, source = _open(lab, name)
        if tokenizer is not None:
            facts = {**facts, "kind": tokenizer.kind, "split": split_text(text, tokenizer)}
            opened.append(tokenizer)
            sources.append(source)
        compared.append(facts)
    figure = partial(comparison_figure, text=text)
    return {
        **figure(opened),
        "text": text,
        "tokenizers": compared,
        "code": shown(lab, figure, tokenizers=partial(open_each, sources=sources)),
    }


def _open(lab: Lab, name: str) -> tuple[ComparedTokenizer, Tokenizer | None, str]:
    """Return the title of a tokenizer, the tokenizer unless it fails to open, and its source in the shown code."""
    facts: ComparedTokenizer = {"id": name, "title": _TITLES.get(name, ""), "kind": None, "split": None, "error": None}
    if name in SOURCES:
        return facts, source_of(lab, name).tokenizer, name
    if name.startswith("upload-"):
        facts["title"], tokenizer = _UPLOADS.get(name)
        return facts, tokenizer, facts["title"]
    found = _found(name)
    facts["title"] = found.title
    try:
        return facts, lab.cached(("tokens", "file", name), lambda: open_tokenizer(found.path)), str(found.path)
    except RowspaceError as error:
        facts["error"] = str(error)
        return facts, None, ""


def _found(name: str) -> FoundTokenizer:
    """Return the tokenizer with an id; raise `UsageError` if there is none."""
    found = next((each for each in find_tokenizers() if each.id == name), None)
    if found is None:
        raise UsageError(f"no tokenizer has the id {name[:40]!r}; choose one of the list, or upload a tokenizer.json")
    return found


ROUTES: Mapping[str, Handler] = {
    "tokens/tokenizers": Upload(tokenizers, MAX_FILE),
    "tokens/comparison": comparison,
}
