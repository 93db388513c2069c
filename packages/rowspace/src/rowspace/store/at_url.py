"""A table at a URL, such as s3://bucket/table: it is written on this machine, then copied there."""

from rowspace._base.atomic import scratch_folder
from rowspace.errors import UsageError
from rowspace.files.remote import check_remote_target, delete_remote, inside_url, remote_names, split_url, upload
from rowspace.store.interface import Format
from rowspace.store.native.manifest import MARKER
from rowspace.table import Table

__all__ = ["check_url", "save_to_url"]


def check_url(url: str, known: Format) -> None:
    """Raise what `save_to_url` would raise about the URL.

    Raises:
        UsageError: The format has two files, or there is a folder that is not a table in our own format.
        RowspaceError: It cannot be written.
        MissingExtraError: pyarrow is not installed.
    """
    if known.is_divided:
        raise UsageError(
            f"{url}: the {known.name} format keeps tokens in a second file, which is not read from a URL; name a "
            "folder or a .npz file"
        )
    check_remote_target(url)
    names = remote_names(url)
    if names and not (known.is_folder and MARKER in names):
        raise UsageError(f"{url} is a folder and not a table of this format; delete it, or name another place")


def save_to_url(table: Table, url: str, known: Format) -> None:
    """Write a table to a URL; a reader finds the old table, the new one, or in between, none.

    Args:
        table: The table.
        url: Where: a file, or a folder that is new or a table, whose other files are deleted.
        known: The format.
    """
    check_url(url, known)
    beside, name, options = split_url(url)
    with scratch_folder("save") as folder:
        known.writer.save(table, folder / name)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        main = folder / name / MARKER if known.is_folder else folder / name
        urls = {path: f"{beside}{path.relative_to(folder).as_posix()}{options}" for path in paths}
        if main in urls:
            delete_remote(urls[main])  # so that nobody reads a mixture of two tables
        for path in sorted(paths, key=lambda path: path == main):
            upload(path, urls[path])
        own = {path.relative_to(folder / name).as_posix() for path in paths} if known.is_folder else set()
        for old in remote_names(url) - own:
            delete_remote(inside_url(url, old))
