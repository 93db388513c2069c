"""`PatchQuestion`: the validated parameters of a picture in patches."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from rowspace.errors import UsageError
from rowspace_lab.pages.patches.pictures import KNOWN, PHOTOGRAPHS, SIX_BY_SIX, Picture
from rowspace_lab.server.query import Query

__all__ = ["PatchQuestion", "picture_call"]

Order = Literal["channels_first", "channels_last"]
_ORDERS: tuple[Order, ...] = get_args(Order)
_VALUES = ("unit", "bytes", "signed")
_MAX_NUMBERS = 2**22  # in the vectors of all patches


@dataclass(frozen=True)
class PatchQuestion:
    """The name and size of a picture, and the settings of its patches and their projection."""

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
        """Read and validate the parameters; raise `UsageError` for invalid ones or if the result would be too large."""
        picture = query.text("picture", PHOTOGRAPHS[0])
        small = picture == SIX_BY_SIX
        side = 6 if small else 224
        height, width = (query.integer(name, side, low=1, high=512) for name in ("height", "width"))
        size = query.integer("patch", 3 if small else 16, low=1, high=64)
        dim = query.integer("dim", 64, low=1, high=1024)
        if (count := -(-height // size) * -(-width // size) * dim) > _MAX_NUMBERS:
            raise UsageError(
                f"{height} × {width} pixels in patches of {size} make {count:,} numbers at dim {dim}, more than "
                f"the limit of {_MAX_NUMBERS:,}; choose larger patches or a smaller dim"
            )
        return cls(
            picture=picture,
            file=query.text("file", "picture.png", max_length=300),
            channels=1 if query.choice("color", ("rgb", "gray"), "gray" if small else None) == "gray" else 3,
            height=height,
            width=width,
            size=size,
            pad=query.flag("pad", False),
            order=query.choice("order", _ORDERS),
            values=query.choice("values", _VALUES, "bytes" if small else None),
            dim=dim,
            unit=query.integer("unit", 0, low=0, high=dim - 1),
            seed=query.integer("seed", 0, low=0, high=2**31 - 1),
        )


def picture_call(picture: str, file: str) -> "partial[Picture]":
    """Return the call that opens an included picture by its name, or else the user's `file`."""
    from rowspace_lab.pages.patches.images import open_photograph, open_picture, six_by_six

    if picture == SIX_BY_SIX:
        return partial(six_by_six)
    return partial(open_photograph, name=picture) if picture in KNOWN else partial(open_picture, file=file)
