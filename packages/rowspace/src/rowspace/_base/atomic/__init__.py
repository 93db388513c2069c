"""Atomic replacement of a file or a folder: a process killed at any time leaves the complete old or new version.

Everything is written to a hidden sibling, synced to the disk, and swapped in: a file by a rename, a folder by the
kernel's exchange of two names (Linux, macOS). Where the file system has no exchange, the old folder is first renamed
to a hidden name that ends in `.old`. A process killed between those two renames leaves it there: `find_backup` finds
it, and the next save restores it first. The next save to a target also removes the temporaries of dead processes.

Left out: the contents of the files, and locks: of two processes that save to one path, the last one wins.
Read next: `replace.py`.
"""

from rowspace._base.atomic.replace import StrPath, atomic_file, atomic_folder, move_file
from rowspace._base.atomic.targets import (
    check_file_target,
    check_folder_target,
    name_with_suffix,
    translate_os_errors,
)
from rowspace._base.atomic.temporaries import (
    check_not_interrupted,
    clear_temporaries,
    find_backup,
    make_scratch,
    scratch_folder,
)

__all__ = [
    "StrPath",
    "atomic_file",
    "atomic_folder",
    "check_file_target",
    "check_folder_target",
    "check_not_interrupted",
    "clear_temporaries",
    "find_backup",
    "make_scratch",
    "move_file",
    "name_with_suffix",
    "scratch_folder",
    "translate_os_errors",
]
