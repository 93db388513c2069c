"""The head of an open checkpoint: its own matrix, and its bias. Needs PyTorch."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from rowspace.layers import TiedHead, UntiedHead
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.table import Table
from rowspace_lab.pages.head.figures import tied_head

# The ends of the names of heads in checkpoints: Llama, Mistral, Qwen, Phi; GPT-NeoX; Meta's Llama.
MATRICES = ("lm_head.weight", "embed_out.weight", "output.weight")
# Phi, RoBERTa; BERT; GPT-NeoX.
BIASES = ("lm_head.bias", "cls.predictions.bias", "embed_out.bias")


class HeadTensors(NamedTuple):
    """The names of the tensors of a checkpoint's head: its own `matrix`, unless it is tied, and its `bias`, if any."""

    matrix: str | None
    bias: str | None


def find_head(table: Table, *, path: str) -> HeadTensors:
    """Find the head of a checkpoint; a matrix equal to the table is a tied one, which some checkpoints repeat."""
    checkpoint = Checkpoint(path)
    matrix, bias = (
        next((name for name in checkpoint.names if name.endswith(endings)), None) for endings in (MATRICES, BIASES)
    )
    if matrix is not None:
        rows = read_rows(checkpoint, matrix, len(table)).numpy()
        if rows.shape != table.rows.shape or np.array_equal(rows, table.rows.astype(np.float32)):
            matrix = None
    return HeadTensors(matrix, bias)


def read_rows(checkpoint: Checkpoint, name: str, count: int) -> Tensor:
    """Read a tensor as float32 without the rows that the table leaves out as padding."""
    return checkpoint.read(name)[:count].float()


def tied_head_with_bias(table: Table, *, path: str, bias: str) -> TiedHead:
    """Create a head that uses the table as its matrix, and the bias of a checkpoint."""
    head = tied_head(table)
    head.bias = torch.nn.Parameter(read_rows(Checkpoint(path), bias, len(table)))
    return head


def checkpoint_head(table: Table, *, path: str, matrix: str, bias: str | None) -> UntiedHead:
    """Read the untied head of a checkpoint, with its bias if it has one."""
    checkpoint = Checkpoint(path)
    with torch.device("meta"):
        head = UntiedHead(table.dim, len(table), bias=bias is not None)
    tensors = {"weight": read_rows(checkpoint, matrix, len(table))}
    if bias is not None:
        tensors["bias"] = read_rows(checkpoint, bias, len(table))
    head.load_state_dict(tensors, assign=True)
    return head
