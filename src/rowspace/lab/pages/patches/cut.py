"""The Patches page: a picture cut into patches, one of them as numbers, and its projection in both forms."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, Upload, needs_torch
from rowspace.lab.pages.patches.pictures import KNOWN, LARGEST_FILE, PHOTOGRAPHS, Picture, Pictures, fitted, photograph
from rowspace.lab.pages.patches.question import PatchQuestion, picture_code
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ROUTES"]


def picture(lab: Lab, query: Query) -> Reply:
    """`picture`, a photograph's name or that of one sent before, or by POST the bytes of a new one.

    Returns the name to ask for it by, and the `picture`, (height, width, 3 or 1) uint8.
    """
    name = query.text("picture", PHOTOGRAPHS[0])
    file = query.text("file", "picture.png", longest=300)
    if query.body is not None:
        name = _sent(lab).keep(query.body)
    shown = _picture(lab, name)
    imports, expression = picture_code(name, file)
    meta = {"picture": name, "height": shown.shape[0], "width": shown.shape[1]}
    return Reply(
        {**meta, "code": f"{imports}\n\npicture = {expression}\nheight, width = picture.shape[:2]"}, picture=shown
    )


@needs_torch
def cut(lab: Lab, query: Query) -> Reply:
    """A `PatchQuestion`, and the number of a patch, `at` → its numbers, and what each form of projection makes of it.

    `image` (H, W, C) uint8 with any padding; `pixels` (n,) in `order`; `linear` and `convolution` (dim,); `weight`
    (n,), that of dimension `unit`, and `feature` (h, w), what this dimension is for every patch.
    """
    import torch

    from rowspace.layers import PatchEmbedding, pad_to_patches, unfold_patches

    asked = PatchQuestion.read(query)
    pixels = fitted(_picture(lab, asked.picture), asked.height, asked.width, channels=asked.channels)
    images = _scaled(torch.from_numpy(pixels).permute(2, 0, 1)[None], asked.values)
    images = pad_to_patches(images, asked.size) if asked.pad else images
    flat = unfold_patches(images, asked.size, order=asked.order)[0]
    down, across = (side // asked.size for side in images.shape[2:])
    at = query.integer("at", down // 2 * across + across // 2, low=0, high=len(flat) - 1)
    linear = PatchEmbedding(asked.size, asked.channels, asked.dim)
    convolution = PatchEmbedding(asked.size, asked.channels, asked.dim, form="convolution")
    for form in (linear, convolution):
        form.reset_parameters(torch.Generator().manual_seed(asked.seed))
    with torch.no_grad():
        vectors, others = linear(images)[0], convolution(images)[0]
    weight = unfold_patches(linear.weight.detach()[asked.unit, None], asked.size, order=asked.order)[0, 0]
    meta = {
        **{"picture": asked.picture, "channels": asked.channels, "height": asked.height, "width": asked.width},
        **{"patch": asked.size, "grid": (down, across), "patches": len(flat), "numbers": flat.shape[1], "at": at},
        **{"order": asked.order, "values": asked.values, "dim": asked.dim, "unit": asked.unit, "seed": asked.seed},
        "parameters": sum(parameter.numel() for parameter in linear.parameters()),
        "difference": float((vectors - others).abs().max()),
        "code": asked.code(at),
    }
    return Reply(
        meta,
        image=_bytes(images, asked.values)[0].permute(1, 2, 0),
        pixels=flat[at],
        linear=vectors[0, at],
        convolution=others[0, at],
        weight=weight,
        feature=vectors[0, :, asked.unit].reshape(down, across),
    )


def _sent(lab: Lab) -> Pictures:
    """What readers have sent; nothing of it reaches the disk."""
    return lab.cached("pictures", Pictures)


def _picture(lab: Lab, name: str) -> Picture:
    """A photograph, or a picture that was sent; raises `UsageError` for a name of neither."""
    if name in KNOWN:
        return lab.cached(("photograph", name), lambda: photograph(name))
    return _sent(lab).get(name)


def _scaled(images: "Tensor", values: str) -> "Tensor":
    """Bytes → floats from 0 to 1 ("unit"), from -1 to 1 ("signed"), or as they are ("bytes")."""
    if values == "unit":
        return images / 255
    return images / 127.5 - 1 if values == "signed" else images.float()


def _bytes(images: "Tensor", values: str) -> "Tensor":
    """The other way, for showing what the projection sees, padding with it."""
    if values == "unit":
        images = images * 255
    elif values == "signed":
        images = (images + 1) * 127.5
    return images.round().byte()


ROUTES: Mapping[str, Answer] = {
    "patches/picture": Upload(picture, limit=LARGEST_FILE),
    "patches/cut": cut,
}
