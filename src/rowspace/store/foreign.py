"""What another library says of an error, as a part of our own sentence.

Left out: which errors those are, which each reader knows.
"""

__all__ = ["reason_of"]

LONGEST = 120  # characters: zipfile and pyarrow put raw bytes of a damaged file into their messages


def reason_of(error: BaseException) -> str:
    r"""Return the first line of an error's message, short and printable, or else the name of its type.

    >>> reason_of(ValueError("header b'\x00' differs\nmore")), reason_of(EOFError())
    ("header b'?' differs", 'EOFError')
    """
    line = str(error).split("\n")[0].strip()
    shown = "".join(character if character.isprintable() else "?" for character in line[:LONGEST])
    return shown + ("..." if len(line) > LONGEST else "") or type(error).__name__
