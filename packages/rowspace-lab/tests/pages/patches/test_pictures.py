import contextlib
import io
import random
import struct
import sys
import zlib

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_image

from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError, UsageError
from rowspace_lab.pages.patches.images import fit_picture
from rowspace_lab.pages.patches.pictures import MAX_FILE, PHOTOGRAPHS, Pictures, photograph, read_picture

PIXELS = np.random.default_rng(0).integers(0, 256, (7, 5, 3), np.uint8)


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that declares a size but contains no pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(("kind", "options"), [("PNG", {}), ("BMP", {}), ("WEBP", {"lossless": True})])
def test_lossless_formats_keep_their_pixels(kind, options):
    np.testing.assert_array_equal(read_picture(saved(Image.fromarray(PIXELS), kind, **options)), PIXELS)


def test_jpeg_pixels_are_approximate():
    smooth = np.linspace(0, 255, 64 * 64).astype(np.uint8).reshape(64, 64)
    read = read_picture(saved(Image.fromarray(smooth), "JPEG", quality=95))
    assert read.shape == (64, 64, 3)
    assert np.abs(read.astype(int) - smooth[:, :, None]).max() < 8


def test_gif_uses_its_first_frame():
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    read = read_picture(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert read[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_pixel_modes_convert_to_rgb(mode):
    assert read_picture(saved(Image.new(mode, (3, 2)))).shape == (2, 3, 3)


def test_sixteen_bit_pixels_keep_their_upper_bits():
    gray = Image.fromarray(np.array([[0, 0x80FF, 0xFFFF]], np.uint16))
    assert read_picture(saved(gray))[0, :, 0].tolist() == [0, 0x80, 0xFF]


def test_transparent_pixels_are_composited_on_white():
    assert read_picture(saved(Image.new("RGBA", (1, 1), (10, 20, 30, 0)))).tolist() == [[[255, 255, 255]]]


def test_exif_orientation_is_applied():
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn clockwise
    read = read_picture(saved(Image.fromarray(PIXELS), exif=exif))
    np.testing.assert_array_equal(read, np.rot90(PIXELS, -1))


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_large_pictures_are_downsampled(kind):
    assert read_picture(saved(Image.new("RGB", (4000, 2000)), kind)).shape == (512, 1024, 3)


@pytest.mark.parametrize(("width", "height"), [(8000, 8000), (20_000, 5_000), (60_000, 60_000), (2**31 - 1, 2)])
def test_decompression_bombs_are_refused_by_their_declared_size(width, height):
    with pytest.raises(UsageError, match="pixels"):
        read_picture(png_of_size(width, height))


def test_oversized_files_are_refused():
    with pytest.raises(UsageError, match="the picture has 16,777,217 bytes, more than the limit of 16,777,216"):
        read_picture(bytes(MAX_FILE + 1))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        b"<svg/>",
        saved(Image.fromarray(PIXELS))[:-60],
        png_of_size(3, 3),
        b"%!PS-Adobe-3.0 EPSF-3.0\n",
    ],
)
def test_invalid_picture_is_refused(data):
    with pytest.raises(
        FileFormatError,
        match=r"file is (damaged or not a picture|empty); choose a (valid )?PNG, JPEG, WebP, GIF or BMP",
    ):
        read_picture(data)


def test_unsupported_formats_are_refused():
    with pytest.raises(FileFormatError):
        read_picture(saved(Image.fromarray(PIXELS), "TIFF"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_give_an_error_or_a_picture(kind):
    complete = saved(Image.fromarray(np.tile(PIXELS, (4, 4, 1))), kind)
    chance = random.Random(1)
    for _ in range(100):
        damaged = bytearray(complete)
        for _ in range(chance.randint(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with contextlib.suppress(RowspaceError):
            assert read_picture(bytes(damaged)).dtype == np.uint8


def test_photographs():
    for name in PHOTOGRAPHS:
        np.testing.assert_array_equal(photograph(name), load_sample_image(name))
    with pytest.raises(UsageError, match=r"picture must be one of china\.jpg, flower\.jpg, six-by-six"):
        photograph("../../etc/passwd")


def test_picture_that_fits_is_unchanged():
    np.testing.assert_array_equal(fit_picture(PIXELS, height=7, width=5, channels=3), PIXELS)
    np.testing.assert_array_equal(
        fit_picture(photograph("six-by-six"), height=6, width=6, channels=1), photograph("six-by-six")
    )


def test_picture_is_cropped_to_its_center():
    wide = np.zeros((4, 12, 3), np.uint8)
    wide[:, 4:8] = 200
    assert (fit_picture(wide, height=4, width=4, channels=3) == 200).all()


def test_gray_and_color():
    assert fit_picture(PIXELS, height=3, width=2, channels=1).shape == (3, 2, 1)
    assert fit_picture(photograph("six-by-six"), height=6, width=6, channels=3).shape == (6, 6, 3)


def test_recent_pictures_are_cached():
    pictures = Pictures(limit=2)
    files = [saved(Image.new("RGB", (side, 1))) for side in (1, 2, 3)]
    first, second = (pictures.keep(file) for file in files[:2])
    assert pictures.get(first).shape == (1, 1, 3)
    third = pictures.keep(files[2])
    assert len({first, second, third}) == 3
    assert pictures.get(first).shape[1] == 1
    assert pictures.get(third).shape[1] == 3
    assert pictures.keep(files[0]) == first
    with pytest.raises(UsageError, match="was not uploaded, or is no longer in memory; upload it again"):
        pictures.get(second)


def test_photograph_without_scikit_learn_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(
        MissingExtraError, match=r"china\.jpg comes with scikit-learn: pip install 'rowspace\[analysis\]'"
    ):
        photograph("china.jpg")


def test_png_with_one_damaged_byte_is_refused():
    complete = saved(Image.fromarray(np.tile(PIXELS, (8, 8, 1))))
    for at in range(8, len(complete) - 12, 3):  # in the header, in the pixels and in their checksums
        damaged = bytearray(complete)
        damaged[at] ^= 1
        with pytest.raises(FileFormatError, match="this file is damaged or not a picture"):
            read_picture(bytes(damaged))


def test_truncated_png_is_refused():
    complete = saved(Image.fromarray(PIXELS))
    with pytest.raises(FileFormatError, match="this file is damaged"):
        read_picture(complete[: complete.rindex(b"IEND") - 4])
