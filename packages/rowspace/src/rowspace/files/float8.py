"""The two 8-bit floats of safetensors files: the float32 value of each of the 256 bytes.

E4M3 has 4 bits of exponent, 3 of mantissa and no infinity; E5M2 is the upper half of a float16. Source: Micikevicius et
al. 2022, FP8 Formats for Deep Learning.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["EIGHT_BITS", "e4m3", "e5m2"]


def e4m3() -> NDArray[np.float32]:
    """Return the number of each byte of E4M3, (256,).

    >>> e4m3()[[0x01, 0x38, 0x7E, 0xB8]].tolist()
    [0.001953125, 1.0, 448.0, -1.0]
    """
    byte = np.arange(256)
    exponent, mantissa = byte >> 3 & 15, (byte & 7) / 8
    value = np.where(exponent == 0, mantissa * 2.0**-6, (1 + mantissa) * 2.0 ** (exponent - 7))
    value[(byte & 0x7F) == 0x7F] = np.nan  # all bits but the sign
    return np.where(byte & 0x80, -value, value).astype(np.float32)


def e5m2() -> NDArray[np.float32]:
    """Return the number of each byte of E5M2, (256,).

    >>> e5m2()[[0x3C, 0xC0, 0x7C]].tolist()
    [1.0, -2.0, inf]
    """
    return (np.arange(256).astype(np.uint16) << np.uint16(8)).view(np.float16).astype(np.float32)


EIGHT_BITS = {"F8_E4M3": e4m3, "F8_E5M2": e5m2}
