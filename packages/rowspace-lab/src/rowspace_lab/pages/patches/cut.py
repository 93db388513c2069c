"""The routes of the Patches page: pictures, their patches with the projection in both forms, and costs."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, Upload, needs_torch
from rowspace_lab.pages.patches.pictures import KNOWN, MAX_FILE, PHOTOGRAPHS, Picture, Pictures, photograph
from rowspace_lab.pages.patches.question import PatchQuestion, picture_call
from rowspace_lab.pages.patches.replies import (
    CheckpointFiltersReply,
    CheckpointReply,
    CutReply,
    FiltersReply,
    PatchCostsReply,
    PictureReply,
    SequenceReply,
    TokenCountsReply,
    TowersReply,
)
from rowspace_lab.server.query import Query
from rowspace_lab.shared.checkpoint_folder import checkpoint_folder, model_type
from rowspace_lab.shared.figure import shown

if TYPE_CHECKING:
    from torch import Tensor

    from rowspace.layers import PatchEmbedding

__all__ = ["ROUTES"]

TWO_TOWERS = ("clip", "siglip")
TEXTS = ("a photo of a temple", "a photo of a flower", "a photo of a cat", "a page of numbers")
_MAX_TOKENS, _MAX_NUMBERS = 257, 64  # of the sequence that is sent
_FILTERS = 16


def picture(lab: Lab, query: Query) -> PictureReply:
    """Return the included or uploaded `picture`, or upload a new one with POST."""
    name = query.text("picture", PHOTOGRAPHS[0])
    file = query.text("file", "picture.png", max_length=300)
    if query.body is not None:
        name = _sent(lab).keep(query.body)
    found = _picture(lab, name)
    from rowspace_lab.pages.patches.images import picture_size_figure

    figure = partial(picture_size_figure)
    return {**figure(found), "picture": name, "code": shown(lab, figure, picture=picture_call(name, file))}


@needs_torch
def cut(lab: Lab, query: Query) -> CutReply:
    """Return the picture of a `PatchQuestion`, and the pixels and projections of the patch with the index `at`."""
    from rowspace_lab.pages.patches.figures import cut_figure

    question = PatchQuestion.read(query)
    scaled, projected, calls = _projected(lab, question)
    height, width, size = question.height, question.width, question.size
    down, across = (side // size for side in scaled.shape[2:])
    at = query.integer("at", down // 2 * across + across // 2, low=0, high=max(0, down * across - 1))
    figure = partial(cut_figure, values=question.values, size=size, order=question.order, at=at, unit=question.unit)
    return {
        **figure(scaled, projected),
        "picture": question.picture,
        "height": height,
        "width": width,
        "channels": question.channels,
        "patch": size,
        "at": at,
        "order": question.order,
        "values": question.values,
        "dim": question.dim,
        "unit": question.unit,
        "seed": question.seed,
        "code": shown(lab, figure, **calls),
    }


@needs_torch
def sequence(lab: Lab, query: Query) -> SequenceReply:
    """Return the class token and the patches of a `PatchQuestion`, their positions, and the sum."""
    from rowspace_lab.pages.patches.sequence import sequence_figure

    question = PatchQuestion.read(query)
    scaled, projected, calls = _projected(lab, question)
    figure = partial(sequence_figure, seed=question.seed, tokens=_MAX_TOKENS, numbers=_MAX_NUMBERS)
    return {**figure(scaled, projected), "dim": question.dim, "code": shown(lab, figure, **calls)}


@needs_torch
def filters(lab: Lab, query: Query) -> FiltersReply:
    """Return random filters for the patches of a `PatchQuestion`, and those learned from them."""
    from rowspace_lab.pages.patches.sequence import filters_figure

    question = PatchQuestion.read(query)
    scaled, projected, calls = _projected(lab, question)
    figure = partial(filters_figure, size=question.size, count=min(_FILTERS, question.dim))
    code = shown(lab, figure, **calls)
    return {**figure(scaled, projected), "patch": question.size, "channels": question.channels, "code": code}


@needs_torch
def checkpoint_filters(lab: Lab, _: Query) -> CheckpointFiltersReply:
    """Return filters of the open checkpoint; raise `UsageError` if it has none."""
    from rowspace_lab.pages.patches.sequence import checkpoint_filters_figure

    figure = partial(checkpoint_filters_figure, path=two_towers(lab), count=_FILTERS)
    return {**figure(), "code": shown(lab, figure)}


@needs_torch
def token_counts(lab: Lab, query: Query) -> TokenCountsReply:
    """Return the numbers of tokens and scores of a picture of `height` × `width` pixels."""
    from rowspace_lab.pages.patches.sequence import token_counts_figure

    height, width = (query.integer(name, 224, low=1, high=512) for name in ("height", "width"))
    channels = query.integer("channels", 3, low=1, high=3)
    figure = partial(token_counts_figure, height=height, width=width, channels=channels)
    return {**figure(), "height": height, "width": width, "channels": channels, "code": shown(lab, figure)}


def checkpoint(lab: Lab, _: Query) -> CheckpointReply:
    """Return the model type of an open checkpoint of text and images; "" if the table is of another kind."""
    path = checkpoint_folder(lab)
    kind = model_type(path) if path else ""
    return {"model_type": kind if kind in TWO_TOWERS else ""}


@needs_torch
def towers(lab: Lab, query: Query) -> TowersReply:
    """Return `texts` and the included and uploaded pictures in the common space of the open checkpoint."""
    from rowspace_lab.pages.patches.towers import open_pictures, text_ids, towers_figure

    path = two_towers(lab)
    texts = query.texts("texts", TEXTS, limit=12)
    name, file = query.text("picture", PHOTOGRAPHS[0]), query.text("file", "picture.png", max_length=300)
    names = [*KNOWN, *([name] if name not in KNOWN else [])]
    ids = partial(text_ids, texts=texts)
    figure = partial(towers_figure, path=path)
    found = figure(ids(lab.table), [_picture(lab, each) for each in names])
    shown_names = [each if each in KNOWN else file for each in names]
    code = shown(lab, figure, ids=ids, pictures=partial(open_pictures, names=names, file=file))
    return {**found, "text_names": texts, "picture_names": shown_names, "code": code}


def two_towers(lab: Lab) -> str:
    """Return the path of the open checkpoint of text and images; raise `UsageError` if there is none."""
    path = checkpoint_folder(lab)
    if path is None or model_type(path) not in TWO_TOWERS:
        raise UsageError(f"{lab.path} is not a model of text and images; open a CLIP or SigLIP checkpoint")
    return path


@needs_torch
def costs(lab: Lab, query: Query) -> PatchCostsReply:
    """Return the costs of each patch size that divides `height` and `width`, or of all sizes with `pad`."""
    from rowspace_lab.pages.patches.figures import patch_costs_figure

    height, width = (query.integer(name, 224, low=1, high=512) for name in ("height", "width"))
    channels, dim = query.integer("channels", 3, low=1, high=3), query.integer("dim", 768, low=1, high=16384)
    pad = query.flag("pad", False)
    figure = partial(patch_costs_figure, height=height, width=width, channels=channels, dim=dim, pad=pad)
    code = shown(lab, figure)
    return {**figure(), "height": height, "width": width, "channels": channels, "dim": dim, "pad": pad, "code": code}


def _projected(
    lab: Lab, question: PatchQuestion
) -> "tuple[Tensor, tuple[PatchEmbedding, PatchEmbedding], dict[str, partial[Any]]]":
    """Return the picture as a tensor, the two forms of its projection, and the calls that make them."""
    from rowspace_lab.pages.patches.figures import make_projections, scale_images
    from rowspace_lab.pages.patches.images import fit_picture

    size, channels = question.size, question.channels
    fitted = partial(fit_picture, height=question.height, width=question.width, channels=channels)
    images = partial(scale_images, values=question.values, size=size, pad=question.pad)
    projections = partial(make_projections, size=size, channels=channels, dim=question.dim, seed=question.seed)
    opened = picture_call(question.picture, question.file)
    calls: dict[str, partial[Any]]
    calls = {"picture": opened, "fitted": fitted, "images": images, "projections": projections}
    return images(fitted(_picture(lab, question.picture))), projections(), calls


def _sent(lab: Lab) -> Pictures:
    """Return the uploaded pictures, which are kept in memory only."""
    return lab.cached("pictures", Pictures)


def _picture(lab: Lab, name: str) -> Picture:
    """Return an included or uploaded picture by name; raise `UsageError` for an unknown name."""
    if name in KNOWN:
        return lab.cached(("photograph", name), lambda: photograph(name))
    return _sent(lab).get(name)


ROUTES: Mapping[str, Handler] = {
    "patches/picture": Upload(picture, limit=MAX_FILE),
    "patches/cut": cut,
    "patches/costs": costs,
    "patches/sequence": sequence,
    "patches/filters": filters,
    "patches/tokens": token_counts,
    "patches/checkpoint": checkpoint,
    "patches/towers": towers,
    "patches/checkpoint-filters": checkpoint_filters,
}
