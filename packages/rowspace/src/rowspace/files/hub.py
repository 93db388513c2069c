"""Names of repositories of the Hugging Face Hub, such as `minishlab/potion-base-8M` → folders in the local cache.

The cache is that of huggingface_hub, which transformers and model2vec use too. Nothing is downloaded unless it is asked
for.
"""

from pathlib import Path

from rowspace._base.atomic import StrPath
from rowspace.errors import MissingExtraError, RowspaceError
from rowspace.files.foreign import HUB_NAME
from rowspace.files.remote import is_url
from rowspace.files.remote_copy import local_copy

__all__ = ["local_path"]

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
