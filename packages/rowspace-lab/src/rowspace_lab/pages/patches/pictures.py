"""Pictures: untrusted uploads, two photographs from scikit-learn, and one of 6 × 6 pixels."""

import hashlib
import io
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, MissingExtraError, UsageError

__all__ = ["KNOWN", "MAX_FILE", "PHOTOGRAPHS", "SIX_BY_SIX", "Pictures", "photograph", "read_picture"]

Picture = NDArray[np.uint8]  # (height, width, 3), or (height, width, 1) in gray

MAX_FILE = 16 << 20  # bytes
PHOTOGRAPHS = ("china.jpg", "flower.jpg")
SIX_BY_SIX = "six-by-six"
KNOWN = (*PHOTOGRAPHS, SIX_BY_SIX)  # the names that `photograph` accepts
_MAX_PIXELS = 50_000_000
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


def read_picture(data: bytes) -> Picture:
    """Decode a PNG, JPEG, WebP, GIF (first frame) or BMP to RGB pixels (height, width, 3).

    The EXIF orientation is applied, transparency becomes white, and large pictures are downsampled to sides of at most
    1,024 pixels. The declared size is checked before decoding. Raises `FileFormatError` for data that is not a valid
    picture, and `UsageError` for pictures that are too large.
    """
    if not data:
        raise FileFormatError("the file is empty; choose a PNG, JPEG, WebP, GIF or BMP picture")
    if len(data) > MAX_FILE:
        raise UsageError(f"the picture has {len(data):,} bytes, more than the limit of {MAX_FILE:,}; reduce its size")
    from PIL import Image

    from rowspace_lab.pages.patches.images import decode_picture

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height <= _MAX_PIXELS:
                if opened.format == "PNG":
                    _verify(Image, data)
                return decode_picture(opened)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise UsageError(f"the picture has more than {_MAX_PIXELS:,} pixels; reduce its size") from None
    except Exception as error:  # decoders raise many types of errors for damaged files
        raise FileFormatError(
            "this file is damaged or not a picture; choose a valid PNG, JPEG, WebP, GIF or BMP file"
        ) from error
    raise UsageError(
        f"the picture has {width:,} × {height:,} pixels, more than the limit of {_MAX_PIXELS:,}; reduce its size"
    )


def photograph(name: str) -> Picture:
    """Return one of scikit-learn's photographs, or "six-by-six", 6 × 6 gray pixels.

    >>> photograph("six-by-six")[:3, :3, 0]
    array([[1, 2, 3],
           [4, 5, 0],
           [7, 8, 1]], dtype=uint8)
    """
    if name == SIX_BY_SIX:
        from rowspace_lab.pages.patches.images import six_by_six

        return six_by_six()
    if name not in PHOTOGRAPHS:
        raise UsageError(f"picture must be one of {', '.join(KNOWN)}, or an uploaded one, not {name!r}")
    package = find_spec("sklearn")  # without importing it, which takes seconds
    folders = package.submodule_search_locations if package else None
    file = Path(folders[0], "datasets", "images", name) if folders else None
    if file is None or not file.is_file():
        raise MissingExtraError(f"{name} comes with scikit-learn: pip install 'rowspace[analysis]'")
    return read_picture(file.read_bytes())


class Pictures:
    """The last `limit` uploaded pictures, named by a hash of their bytes; they are decoded one at a time.

    >>> Pictures().get("china.png")
    Traceback (most recent call last):
    rowspace.errors.UsageError: picture 'china.png' was not uploaded, or is no longer in memory; upload it again
    """

    def __init__(self, limit: int = 8) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._decoding, self._lock = Lock(), Lock()

    def keep(self, data: bytes) -> str:
        """Decode and store an upload, and return its name; raise the errors of `read_picture`."""
        name = hashlib.sha256(data).hexdigest()[:20]
        with self._decoding:
            picture = self._kept.get(name)
            picture = read_picture(data) if picture is None else picture
        with self._lock:
            self._kept[name] = picture
            self._kept.move_to_end(name)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> Picture:
        """Return the picture with a name returned by `keep`."""
        with self._lock:
            if name not in self._kept:
                raise UsageError(f"picture {name[:40]!r} was not uploaded, or is no longer in memory; upload it again")
            self._kept.move_to_end(name)
            return self._kept[name]


def _verify(image: Any, data: bytes) -> None:
    """Verify the checksums of all chunks of a PNG, which decoding does not do."""
    with image.open(io.BytesIO(data), formats=("PNG",)) as opened:
        opened.verify()
