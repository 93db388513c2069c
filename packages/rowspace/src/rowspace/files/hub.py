"""Names of repositories of the Hugging Face Hub, such as `minishlab/potion-base-8M`, and URLs → local copies.

Repositories are in the cache of huggingface_hub, which transformers and model2vec use too; they are downloaded only if
that is asked for.
"""

import shutil
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO

from platformdirs import user_cache_path

from rowspace._base.atomic import StrPath, clear_temporaries
from rowspace.errors import MissingExtraError, RowspaceError, UsageError
from rowspace.files.foreign import HUB_NAME
from rowspace.files.remote import is_url, open_remote, remote_files, split_url
from rowspace.files.remote_place import RemoteFile, translated_errors

__all__ = ["local_copy", "local_path"]

FILES = ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"]
"""What is downloaded of a repository: no pickles and no code, which are not read."""


def local_path(path: StrPath, *, download: bool = False) -> StrPath:
    """Return the folder of a repository of the Hub in the cache, a copy of what is at a URL, or another path as it is.

    Args:
        path: A path, `organization/name`, or a URL such as s3://bucket/table.
        download: Fetch a repository first, or the files of it that have changed.

    Raises:
        RowspaceError: It cannot be fetched.
        UsageError: Nothing is at a URL.

    >>> local_path("folder/table.npz")
    'folder/table.npz'
    """
    if isinstance(path, str) and is_url(path):
        return local_copy(path)
    if not (isinstance(path, str) and HUB_NAME.fullmatch(path)) or Path(path).exists() or Path(path).parent.exists():
        return path
    try:
        from huggingface_hub.constants import HF_HUB_CACHE
    except ImportError as error:
        raise MissingExtraError("a name of the Hugging Face Hub needs pip install huggingface_hub") from error
    if download:
        return _downloaded(path)
    folder = Path(HF_HUB_CACHE, f"models--{path.replace('/', '--')}")
    try:
        found = folder / "snapshots" / (folder / "refs" / "main").read_text()
        return found if found.is_dir() else path
    except (OSError, ValueError):  # no such file, no permission, not text, or no name of a folder
        return path


def _downloaded(name: str) -> Path:
    """Fetch a repository into the cache."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        return Path(snapshot_download(name, allow_patterns=FILES))
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
        reason = (str(error).strip().split("\n") or [""])[0]
        raise RowspaceError(f"{name}: cannot be downloaded from the Hugging Face Hub: {reason}") from error


_AT_ONCE = 1 << 22  # bytes


def local_copy(url: str) -> Path:
    """Return a copy of a file or folder in the user's cache, made when it is first needed or has changed there.

    Args:
        url: The URL of a file or folder.

    Raises:
        UsageError: There is no such file or folder.
        RowspaceError: It cannot be read.
        MissingExtraError: pyarrow is not installed.
    """
    _, name, _ = split_url(url)
    # The place depends on the sizes and times of the files, so that a copy of files that have changed is made again.
    while not (target := _place_of_copy(files := remote_files(url), name)).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        clear_temporaries(target)
        scratch = Path(mkdtemp(prefix=".rowspace-", dir=target.parent))
        try:
            _copy(url, files, scratch)
            with suppress(OSError):  # another process was faster
                (scratch / name).rename(target)
        except UsageError:  # a file is gone
            if remote_files(url) == files:
                raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def _copy(url: str, files: list[RemoteFile], target: Path) -> None:
    """Copy files, which may be replaced meanwhile, into a folder."""
    folder, _, options = split_url(url)
    for file in files:
        copy = target / file.url.removeprefix(folder).removesuffix(options)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("wb") as local:
            _download(file.url, local)


def _place_of_copy(files: list[RemoteFile], name: str) -> Path:
    """Return where a copy of files is kept while they are these."""
    key = blake2b(repr(files).encode(), digest_size=16).hexdigest()
    return user_cache_path("rowspace") / "remote" / key / name


def _download(url: str, local: BinaryIO) -> None:
    with open_remote(url) as remote, translated_errors(url):
        shutil.copyfileobj(remote, local, _AT_ONCE)
