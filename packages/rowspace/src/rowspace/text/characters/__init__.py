"""Text and UTF-8 bytes → characters, and what each is to the scanner: part of a word, a blank, the end of a line.

Start at table.py; kernels.py decodes, utf8.py converts whole texts, unicode_tables.py is generated. The kernels are
imported from their module, so that opening a tokenizer does not wait for numba.
"""

from rowspace.text.characters.table import character_table
from rowspace.text.characters.utf8 import as_array, clean, readable, utf8

__all__ = ["as_array", "character_table", "clean", "readable", "utf8"]
