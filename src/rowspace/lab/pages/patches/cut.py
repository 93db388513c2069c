"""The routes of the Patches page: pictures, their patches with the projection in both forms, and costs."""

from collections.abc import Mapping
from functools import partial

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, Upload, needs_torch
from rowspace.lab.pages.patches.pictures import KNOWN, LARGEST_FILE, PHOTOGRAPHS, Picture, Pictures, photograph
from rowspace.lab.pages.patches.question import PatchQuestion, picture_call
from rowspace.lab.pages.patches.replies import CutReply, PatchCostsReply, PictureReply
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown

__all__ = ["ROUTES"]


def picture(lab: Lab, query: Query) -> PictureReply:
    """Return the included or uploaded `picture`, or upload a new one with POST."""
    name = query.text("picture", PHOTOGRAPHS[0])
    file = query.text("file", "picture.png", longest=300)
    if query.body is not None:
        name = _sent(lab).keep(query.body)
    found = _picture(lab, name)
    from rowspace.lab.pages.patches.images import picture_size_figure

    figure = partial(picture_size_figure)
    return {**figure(found), "picture": name, "code": shown(lab, figure, picture=picture_call(name, file))}


@needs_torch
def cut(lab: Lab, query: Query) -> CutReply:
    """Return the picture of a `PatchQuestion`, and the pixels and projections of the patch with the index `at`."""
    question = PatchQuestion.read(query)
    found, size = _picture(lab, question.picture), question.size
    from rowspace.lab.pages.patches.figures import cut_figure, make_projections, scale_images
    from rowspace.lab.pages.patches.images import fit_picture

    height, width = question.height, question.width
    fitted = partial(fit_picture, height=height, width=width, channels=question.channels)
    images = partial(scale_images, values=question.values, size=size, pad=question.pad)
    projections = partial(make_projections, size=size, channels=question.channels, dim=question.dim, seed=question.seed)
    scaled = images(fitted(found))
    down, across = (side // size for side in scaled.shape[2:])
    at = query.integer("at", down // 2 * across + across // 2, low=0, high=max(0, down * across - 1))
    figure = partial(cut_figure, values=question.values, size=size, order=question.order, at=at, unit=question.unit)
    opened = picture_call(question.picture, question.file)
    return {
        **figure(scaled, projections()),
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
        "code": shown(lab, figure, picture=opened, fitted=fitted, images=images, projections=projections),
    }


@needs_torch
def costs(lab: Lab, query: Query) -> PatchCostsReply:
    """Return the costs of each patch size that divides `height` and `width`, or of all sizes with `pad`."""
    from rowspace.lab.pages.patches.figures import patch_costs_figure

    height, width = (query.integer(name, 224, low=1, high=512) for name in ("height", "width"))
    channels, dim = query.integer("channels", 3, low=1, high=3), query.integer("dim", 768, low=1, high=16384)
    pad = query.flag("pad", False)
    figure = partial(patch_costs_figure, height=height, width=width, channels=channels, dim=dim, pad=pad)
    code = shown(lab, figure)
    return {**figure(), "height": height, "width": width, "channels": channels, "dim": dim, "pad": pad, "code": code}


def _sent(lab: Lab) -> Pictures:
    """Return the uploaded pictures, which are kept in memory only."""
    return lab.cached("pictures", Pictures)


def _picture(lab: Lab, name: str) -> Picture:
    """Return an included or uploaded picture by name; raise `UsageError` for an unknown name."""
    if name in KNOWN:
        return lab.cached(("photograph", name), lambda: photograph(name))
    return _sent(lab).get(name)


ROUTES: Mapping[str, Answer] = {
    "patches/picture": Upload(picture, limit=LARGEST_FILE),
    "patches/cut": cut,
    "patches/costs": costs,
}
