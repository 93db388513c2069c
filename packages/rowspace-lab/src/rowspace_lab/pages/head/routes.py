"""The routes of the Head page: logits and probabilities for a hidden state, term by term, with one matrix or two.

The hidden state is not computed by a model: it is a row of the table, or the one of an example with four words, changed
by sliders.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.head.evidence import comparable_runs, evidence_figure
from rowspace_lab.pages.head.replies import EvidenceReply, LogitsReply, MatricesReply, TermsReply, TyingReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.tables.examples import four_words

__all__ = ["ROUTES"]

DTYPES = ("float32", "bfloat16", "float16")
SHORT = 8  # the largest dimension of vectors that are shown completely


@needs_torch
def logits(lab: Lab, query: Query) -> LogitsReply:
    """Return the `k` most probable rows, by `head`, `softcap` and `temperature`.

    The hidden state is the row of `word` in `source`, with `values` at `dims`.
    """
    from rowspace_lab.pages.head import figures
    from rowspace_lab.pages.head.question import HeadQuestion

    question = HeadQuestion.read(lab, query)
    figure = partial(
        figures.logits_figure,
        softcap=question.softcap,
        temperature=question.temperature,
        k=query.integer("k", 10, low=1, high=100),
    )
    found = figure(question.head, question.state)
    if not len(found["ids"]):
        raise UsageError("no row has a finite logit; use smaller values")
    table = question.table
    if table.dim > SHORT:
        del found["vectors"]
    return {
        **found,
        "source": question.source,
        "word": question.word,
        "dims": question.dims,
        "dim": table.dim,
        "tokens": [table.vocabulary[id] for id in found["ids"]],
        "head": question.kind,
        "trained": question.trained,
        "bias": question.head.bias is not None,
        "temperature": question.temperature,
        "softcap": question.softcap,
        "code": shown(lab, figure, **question.calls),
    }


@needs_torch
def terms(lab: Lab, query: Query) -> TermsReply:
    """Return the terms of the logit of the row `id`, by default the most probable one, with the head of the logits."""
    from rowspace_lab.pages.head.question import HeadQuestion
    from rowspace_lab.pages.head.terms import most_probable, terms_figure

    question = HeadQuestion.read(lab, query)
    id = query.integer("id", most_probable(question.head, question.state), low=0, high=len(question.table) - 1)
    figure = partial(terms_figure, id=id, softcap=question.softcap, temperature=question.temperature)
    found, token = figure(question.head, question.state), question.table.vocabulary[id]
    if not np.isfinite(found["product"]):
        raise UsageError(f"the logit of {token[:40]!r} is not finite; choose another row or smaller values")
    return {**found, "token": token, "code": shown(lab, figure, **question.calls)}


@needs_torch
def matrices(lab: Lab, query: Query) -> MatricesReply:
    """Return the parameters of the table of `source` and its `head`, tied or untied."""
    from rowspace_lab.pages.head.question import KINDS, head_call, opened_table, read_source
    from rowspace_lab.pages.head.terms import matrices_figure

    source, kind = read_source(lab, query), query.choice("head", KINDS)
    table = four_words() if source == "example" else lab.table
    call, trained = head_call(lab, source, kind)
    figure = partial(matrices_figure, tied=kind == "tied", bias=bool(call.keywords.get("bias")))
    size = (len(table), table.dim)
    code = shown(lab, figure, **opened_table(source))
    return {**figure(table), "head": kind, "size": size, "trained": trained, "code": code}


def evidence(lab: Lab, _: Query) -> EvidenceReply:
    """Return the held-out bits of tied and untied runs of the Training page; empty where none were trained."""
    figure = partial(evidence_figure, runs=comparable_runs(lab))
    return {**figure(), "code": shown(lab, figure)}


@needs_torch
def tying(lab: Lab, query: Query) -> TyingReply:
    """Return the parameters and bytes in `dtype` that tying saves, for the table of `source` and published models."""
    from rowspace_lab.pages.head import figures
    from rowspace_lab.pages.head.question import opened_table, read_source

    source = read_source(lab, query)
    figure = partial(figures.tying_figure, dtype=query.choice("dtype", DTYPES))
    table = four_words() if source == "example" else lab.table
    return {**figure(table), "code": shown(lab, figure, **opened_table(source))}


ROUTES: Mapping[str, Handler] = {
    "head/logits": logits,
    "head/terms": terms,
    "head/matrices": matrices,
    "head/evidence": evidence,
    "head/tying": tying,
}
