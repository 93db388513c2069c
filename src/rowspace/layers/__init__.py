"""ids and pixels → vectors → logits → loss: PyTorch modules, one concept a file.

Needs `rowspace[torch]`. Nothing here knows of tables or files, but for `from_checkpoint`.
"""

from rowspace.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.layers needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.layers.cross_entropy import cross_entropy

__all__ = [
    "cross_entropy",
]
