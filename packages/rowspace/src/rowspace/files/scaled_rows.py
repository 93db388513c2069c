"""Rows that a quantized model stores as 8-bit codes and scales: read as the float32 that they stand for, or refused.

A row is its codes times a scale, of which there is one for the tensor, for each row, or for each block of it:

| codes | scales of the tensor `X.weight` | written by |
|---|---|---|
| int8 | `X.SCB` (V,), the largest magnitude of each row; 127 stands for it | bitsandbytes |
| int8 | `X.weight_scale`, one or one for each row | compressed-tensors |
| E4M3, E5M2 | `X.weight_scale` or, despite the name multiplied too, `X.weight_scale_inv` | DeepSeek, FBGEMM, vLLM |

Whatever else lies beside such codes (zero points, a second scale) differs between libraries and versions, and int8 with
several scales a row may be two numbers of 4 bits each: these are refused, and so are int8 codes without a scale. 8-bit
floats without a scale are the rows. Rows of any dtype that an adapter or a mask beside them changes are refused too.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError
from rowspace.files.safetensors_header import Tensor
from rowspace.files.strict_json import is_count
from rowspace.files.tensors import EIGHT_BITS, FLOATS, Tensors, map_tensor, read_tensors

__all__ = ["REMEDY", "by_level", "changes_of", "is_code", "map_rows", "tensors_beside"]

CODES = ("I8", "F8_E4M3", "F8_E5M2")
HARMLESS = ("bias", "input_scale", "activation_scale")  # which say nothing of the rows
CHANGES = re.compile(
    r"\.(lora_|vera_|hada_|lokr_|oft_|token_adapter|trainable_tokens|weight_mask|weight_g$|original0|adapter$)"
)
MAX_LAYER = 1000  # names at one level, more than any layer has
Levels = dict[str, list[str]]
TELLING = ("scale", "zero", "scb", "absmax")  # parts of the names of what belongs to a tensor not named `weight`
WITHOUT = "save the model without quantization, with transformers: AutoModel.from_pretrained(FOLDER).dequantize()"
REMEDY = f"{WITHOUT}.save_pretrained(NEW)"
MLX_REMEDY = "save it without, with mlx_lm.convert --hf-path FOLDER --mlx-path NEW --dequantize"


def map_rows(
    name: str,
    file_of: Callable[[str], Path],
    names: Collection[str],
    *,
    config: Mapping[str, Any] | None = None,
    limit: int | None = None,
    known: Tensors | None = None,
) -> NDArray[Any]:
    """Return the rows of a tensor of a model, or the first `limit`: mapped, or where necessary float32 in memory.

    Args:
        name: The tensor, one of `names`.
        file_of: Gives the file of a tensor; scales may be in another shard than their codes.
        names: The tensors of the whole model.
        config: The config.json of the model, if it has one, which states the size of blocks.
        limit: Read only so many rows.
        known: The tensors of the file of `name`, if they were read before.

    Raises:
        FileFormatError: A file is damaged, or holds codes whose meaning is not certain.
    """
    path = file_of(name)
    tensors = read_tensors(path) if known is None else known
    tensor = tensors.get(name)
    if changes := changes_of(name, names):
        raise FileFormatError(
            f"{path}: tensor {name!r} is not the table, as {join_names(changes)} change its rows; load the model with "
            "the library that wrote it, merge them (PEFT: merge_and_unload()), and save the result"
        )
    if tensor is None or tensor.dtype in FLOATS:
        return map_tensor(path, name, limit=limit, known=tensors)
    beside = tensors_beside(name, by_level(names))
    if tensor.dtype in EIGHT_BITS and not beside:
        beside = _scales_elsewhere(name, names)
    if tensor.dtype not in CODES:
        _check_unpacked(name, tensor, beside, str(path))
        return map_tensor(path, name, limit=limit, known=tensors)
    scale = _scale_of(name, tensor, beside, config or {}, str(path))
    rows = map_tensor(path, name, limit=limit, known=tensors)
    if scale is None:
        return rows
    factors, block = _factors(name, tensor, file_of(scale), scale, config or {})
    return _scaled(rows, factors, block)


def changes_of(name: str, names: Iterable[str]) -> list[str]:
    """Return the tensors of adapters and masks that change the rows of the tensor `name`.

    >>> changes_of("a.weight", ["a.weight", "a.lora_A.default", "b.lora_A"])
    ['a.lora_A.default']
    """
    level = "".join(name.rpartition(".")[:2]).removesuffix("base_layer.")
    return [other for other in names if other.startswith(level) and CHANGES.search(f".{other}")]


def _scales_elsewhere(name: str, names: Iterable[str]) -> list[str]:
    """Return what may be scales of the tensor `name` or of the whole model, by their names."""
    layer = name.rpartition(".")[0].rpartition(".")[2]
    telling = (other for other in names if any(part in other.lower() for part in TELLING))
    belongs = re.compile(rf"(^|\.){re.escape(layer)}([._]|$)|^[^.]*$")
    return [other for other in telling if not other.endswith(HARMLESS) and belongs.search(other)]


def by_level(names: Iterable[str]) -> Levels:
    """Return names of tensors by what comes before their last dot: those of one layer are together.

    >>> by_level(["a.weight", "a.bias", "b"])
    {'a': ['a.weight', 'a.bias'], '': ['b']}
    """
    levels: Levels = {}
    for name in names:
        levels.setdefault(name.rpartition(".")[0], []).append(name)
    return levels


def is_code(name: str, tensor: Tensor, levels: Levels) -> bool:
    """Whether a tensor of a model holds 8-bit codes, or integers with scales beside them."""
    return tensor.dtype in CODES or (tensor.dtype not in FLOATS and bool(tensors_beside(name, levels)))


def tensors_beside(name: str, levels: Levels) -> list[str]:
    """Return the names of the tensors that may say what the codes in the tensor `name` stand for, sorted.

    >>> tensors_beside("a.weight", by_level(["a.weight", "a.SCB", "a.bias", "a.weight.absmax", "b.weight_scale"]))
    ['a.SCB', 'a.weight.absmax']
    """
    level, dot, own = name.rpartition(".")
    found = list(levels.get(name, ()))
    of_layer = levels.get(level, ())
    for other in of_layer if len(of_layer) <= MAX_LAYER else ():
        last = other.removeprefix(level + dot)
        is_telling = own == "weight" or last.startswith(f"{own}_") or any(part in last.lower() for part in TELLING)
        if other != name and is_telling and last not in HARMLESS:
            found.append(other)
    return sorted(found)


def block_of(shape: tuple[int, ...], scales: tuple[int, ...], config: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the rows and columns of a (V, d) tensor that share a scale; None if the shapes do not fit.

    Blocks at the edges may be smaller, so their size is not known from the shapes, but stands in the config.

    >>> block_of((300, 200), (3, 2), {"quantization_config": {"weight_block_size": [128, 128]}})
    (128, 128)
    >>> block_of((300, 200), (300, 1), {}), block_of((300, 200), (), {}), block_of((300, 200), (3, 2), {})
    ((1, 200), (300, 200), None)
    """
    if all(size == 1 for size in scales):
        return shape[0], shape[-1]
    if len(shape) != 2 or len(scales) not in (1, 2):
        return None
    rows, groups = scales if len(scales) == 2 else (*scales, 1)
    block = _block_size(config)
    if block is not None and (-(-shape[0] // block[0]), -(-shape[1] // block[1])) == (rows, groups):
        return block
    width = shape[1] // groups if groups else 0
    is_certain = groups == 1 or (width * groups == shape[1] and width.bit_count() == 1)  # as all sizes in use are
    return (1, width) if rows == shape[0] and is_certain else None


def _block_size(config: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the size of blocks that the quantization of a config states, if it does."""
    quantization = config.get("quantization_config")
    block = quantization.get("weight_block_size") if isinstance(quantization, dict) else None
    if isinstance(block, list) and len(block) == 2 and all(is_count(size) and size > 0 for size in block):
        return block[0], block[1]
    return None


def _check_unpacked(name: str, tensor: Tensor, beside: list[str], source: str) -> None:
    """Refuse integers with scales beside them, several of which are packed into one number."""
    if beside:
        is_mlx = tensor.dtype == "U32" and any(other.endswith(".scales") for other in beside)
        raise FileFormatError(
            f"{source}: tensor {name!r} is {tensor.dtype}, packed codes of a model quantized "
            f"{'by MLX' if is_mlx else 'in fewer bits'} (with {join_names(beside)}), which are not read as rows; "
            f"{MLX_REMEDY if is_mlx else REMEDY}"
        )


def _scale_of(name: str, tensor: Tensor, beside: list[str], config: Mapping[str, Any], source: str) -> str | None:
    """Return the name of the scale of 8-bit codes; None if they are the rows themselves."""
    is_float = tensor.dtype != "I8"
    if not beside and is_float and not config.get("quantization_config"):
        return None
    known = {f"{name}_scale", f"{name}_scale_inv" if is_float else ""}
    if not is_float and name.endswith("weight"):
        known.add(f"{name.removesuffix('weight')}SCB")
        beside = [other for other in beside if not other.endswith("weight_format")]  # that of bitsandbytes
    if len(beside) == 1 and beside[0] in known:
        return beside[0]
    what = f"codes whose meaning is not certain, with {join_names(beside)}" if beside else "codes without a scale"
    raise FileFormatError(
        f"{source}: tensor {name!r} holds {tensor.dtype} {what}, which are not read as rows; {REMEDY}"
    )


def _factors(
    name: str, tensor: Tensor, path: Path, scale: str, config: Mapping[str, Any]
) -> tuple[NDArray[np.float32], tuple[int, int]]:
    """Read the scales as float32 factors, and the size of their blocks, once they are known to fit the codes."""
    tensors = read_tensors(path)
    found = tensors.get(scale)
    block = None if found is None or found.dtype not in FLOATS else block_of(tensor.shape, found.shape, config)
    if found is None or block is None or (tensor.dtype == "I8" and block[1] < tensor.shape[1]):
        what = "is missing" if found is None else f"is {found.dtype} of shape {found.shape}"
        raise FileFormatError(
            f"{path}: the scale {scale!r} {what}, which does not fit {name!r} of shape {tensor.shape}; {REMEDY}"
        )
    if not found.shape:
        tensors[scale] = found._replace(shape=(1,))
    factors = map_tensor(path, scale, known=tensors).astype(np.float32)
    return (factors / np.float32(127) if scale.endswith("SCB") else factors), block


def _scaled(rows: NDArray[np.float32], factors: NDArray[np.float32], block: tuple[int, int]) -> NDArray[np.float32]:
    """Multiply rows by the factors of their blocks, in place."""
    if factors.size == 1:
        rows *= factors.reshape(())
        return rows
    by_row = np.repeat(factors.reshape(len(factors), -1), block[0], axis=0)[: len(rows)]  # (V, groups)
    for group in range(by_row.shape[1]):
        rows[:, group * block[1] : (group + 1) * block[1]] *= by_row[:, group : group + 1]
    return rows
