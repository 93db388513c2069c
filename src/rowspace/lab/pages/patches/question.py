"""`PatchQuestion`: what a reader asks of a picture in patches, checked, and the same as code."""

from dataclasses import dataclass
from typing import Literal, get_args

from rowspace.errors import UsageError
from rowspace.lab.pages.patches.pictures import KNOWN, PHOTOGRAPHS
from rowspace.lab.server.query import Query

__all__ = ["PatchQuestion", "picture_code"]

Order = Literal["channels_first", "channels_last"]
_ORDERS: tuple[Order, ...] = get_args(Order)
_SCALES = {"unit": " / 255", "bytes": ".float()", "signed": " / 127.5 - 1"}
_UNSCALED = {"unit": ".mul(255)", "bytes": "", "signed": ".add(1).mul(127.5)"}
_MOST_NUMBERS = 2**22  # of all vectors together


@dataclass(frozen=True)
class PatchQuestion:
    """A picture's name and size, how it is cut, and how its patches are projected; of which patch is read last."""

    picture: str
    file: str
    channels: int
    height: int
    width: int
    size: int
    pad: bool
    order: Order
    values: str
    dim: int
    unit: int
    seed: int

    @classmethod
    def read(cls, query: Query) -> "PatchQuestion":
        """The question, each part of it checked; raises `UsageError`, for more numbers than are worked out too."""
        picture = query.text("picture", PHOTOGRAPHS[0])
        lesson = picture == "lesson"
        side = 6 if lesson else 224
        height, width = (query.integer(name, side, low=1, high=512) for name in ("height", "width"))
        size = query.integer("patch", 3 if lesson else 16, low=1, high=64)
        dim = query.integer("dim", 64, low=1, high=1024)
        if (count := -(-height // size) * -(-width // size) * dim) > _MOST_NUMBERS:
            raise UsageError(
                f"{height} × {width} pixels in patches of {size} make {count:,} numbers at dim {dim}, but "
                f"{_MOST_NUMBERS:,} are the most here; choose larger patches or a smaller dim"
            )
        return cls(
            picture=picture,
            file=query.text("file", "picture.png", longest=300),
            channels=1 if query.choice("color", ("rgb", "gray"), "gray" if lesson else None) == "gray" else 3,
            height=height,
            width=width,
            size=size,
            pad=query.flag("pad", False),
            order=query.choice("order", _ORDERS),
            values=query.choice("values", tuple(_SCALES), "bytes" if lesson else None),
            dim=dim,
            unit=query.integer("unit", 0, low=0, high=dim - 1),
            seed=query.integer("seed", 0, low=0, high=2**31 - 1),
        )

    def code(self, at: int) -> str:
        """What makes the figure, of patch number `at`."""
        imports, expression = picture_code(self.picture, self.file)
        padding, padded = (
            ("pad_to_patches, ", f"images = pad_to_patches(images, {self.size})\n") if self.pad else ("", "")
        )
        return f"""\
import torch
{imports}
from rowspace.layers import PatchEmbedding, {padding}unfold_patches

picture = fitted({expression}, {self.height}, {self.width}, channels={self.channels})
images = torch.from_numpy(picture).permute(2, 0, 1)[None]{_SCALES[self.values]}  # (1, C, H, W)
{padded}every = unfold_patches(images, {self.size}, order={self.order!r})[0]  # (patches, numbers)
(patches, numbers), pixels = every.shape, every[{at}]
image = images[0].permute(1, 2, 0){_UNSCALED[self.values]}.round().byte()  # with any padding

forms = [PatchEmbedding({self.size}, {self.channels}, {self.dim}, form=form) for form in ("linear", "convolution")]
for form in forms:
    form.reset_parameters(torch.Generator().manual_seed({self.seed}))  # as training begins, and both alike
with torch.no_grad():
    (vectors, grid), (others, _) = (form(images) for form in forms)
parameters = sum(parameter.numel() for parameter in forms[0].parameters())
weight = unfold_patches(forms[0].weight.detach()[{self.unit}, None], {self.size}, order={self.order!r})[0, 0]
linear, convolution = vectors[0, {at}], others[0, {at}]
difference = (vectors - others).abs().max()
feature = vectors[0, :, {self.unit}].reshape(grid)"""


def picture_code(picture: str, file: str) -> tuple[str, str]:
    """The lines that import, and the expression that opens, a photograph by its name or the reader's own `file`."""
    if picture in KNOWN:
        return "from rowspace.lab.pages.patches.pictures import fitted, photograph", f"photograph({picture!r})"
    imports = "from pathlib import Path\n\nfrom rowspace.lab.pages.patches.pictures import fitted, read_picture"
    return imports, f"read_picture(Path({file!r}).read_bytes())"
