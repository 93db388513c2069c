"""All code points, and those that differ from each other."""

__all__ = ["ASSIGNED", "CODE_POINTS"]

CODE_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
ASSIGNED = [code for code in CODE_POINTS if code < 0x33500 or code >> 8 in (0xE00, 0xE01) or code & 0xFFFF > 0xFFF0]
"""All code points that Unicode 17 has assigned outside of the areas for private use, and some of every plane.

The other 800,000 have no properties, so that they are in the same class; the tables of classes are tested with all.
"""
