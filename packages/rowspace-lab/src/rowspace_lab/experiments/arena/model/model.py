"""The model of all strategies: their input, then the same blocks, then the same byte decoder or classifier."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rowspace.layers import LearnedPosition, PatchEmbedding, TiedHead, TokenEmbedding, UntiedHead
from rowspace_lab.experiments.arena.tasks.images import LEVELS
from rowspace_lab.experiments.language_model.model.model import Block
from rowspace_lab.experiments.language_model.options import ModelOptions

__all__ = ["ArenaModel", "Batch", "Shape"]

NO_BYTE = -1  # after the last byte of a chunk


@dataclass(frozen=True)
class Shape:
    """The sizes of a model.

    Attributes:
        size: V, or the side of a patch.
        is_patches: Whether the input is patches.
        tied: Whether the head over its own tokens shares the rows of the input.
        longest: Number of positions.
        classes: Number of labels; 0 to predict the next bytes.
        dim: Width of rows and hidden states.
        layers: Number of blocks.
    """

    size: int
    is_patches: bool
    tied: bool
    longest: int
    classes: int
    dim: int
    layers: int


@dataclass(frozen=True)
class Batch:
    """Samples as tensors, padded at the end.

    Attributes:
        tokens: (batch, seq) ids, or (batch, seq, pixels) gray levels.
        lengths: (batch,) tokens of each.
        ends: (batch, chunks) the last token before each predicted chunk; none for classes.
        following: (batch, chunks, bytes) the bytes of these chunks, then `NO_BYTE`; none for classes.
        labels: (batch,); none for next bytes.
    """

    tokens: Tensor
    lengths: Tensor
    ends: Tensor
    following: Tensor
    labels: Tensor


class ArenaModel(nn.Module):
    """A strategy's input, blocks, and what they are for: `ByteDecoder`, or a linear classifier of the mean state.

    For the next bytes, blocks are causal, and strategies with a table also learn their own next token with a head, tied
    or not, as language models do.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        options = ModelOptions(dim=shape.dim, layers=shape.layers, heads=max(1, shape.dim // 16), positions="none")
        self.input = (
            PatchEmbedding(shape.size, 1, shape.dim)
            if shape.is_patches
            else TokenEmbedding(shape.size, shape.dim, init=lambda weight: nn.init.normal_(weight, std=0.02))
        )
        self.positions = LearnedPosition(shape.longest, shape.dim)
        self.blocks = nn.ModuleList(Block(options) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.dim)
        self.own_head: TiedHead | UntiedHead | None = None
        if shape.classes:
            self.answer: nn.Module = nn.Linear(shape.dim, shape.classes)
            return
        self.answer = ByteDecoder(shape.dim)
        if isinstance(self.input, TokenEmbedding):
            self.own_head = TiedHead(self.input) if shape.tied else UntiedHead(shape.dim, shape.size)

    def loss(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return what is minimized, and the nats per byte, or per input for classes, that are reported."""
        states = self.states(batch)
        if self.shape.classes:
            nats = functional.cross_entropy(self._logits(states, batch), batch.labels)
            return nats, nats
        nats = self._nats(states, batch).sum() / (batch.following != NO_BYTE).sum()
        if self.own_head is None:
            return nats, nats
        targets = batch.tokens[:, 1:].masked_fill(~_inside(batch)[:, 1:], -100)
        return nats + self.own_head.loss(states[:, :-1], targets), nats

    def nats(self, batch: Batch) -> Tensor:
        """Return the nats (batch, chunks) of each predicted chunk."""
        return self._nats(self.states(batch), batch)

    def classify(self, batch: Batch) -> Tensor:
        """Return the likeliest class (batch,) of each input."""
        return self._logits(self.states(batch), batch).argmax(1)

    def states(self, batch: Batch) -> Tensor:
        """Return the states (batch, seq, d) after the last block."""
        if self.shape.is_patches:
            side = self.shape.size
            patches, _ = self.input((batch.tokens.float() / (LEVELS - 1)).reshape(-1, 1, side, side))
            hidden = patches.reshape(*batch.tokens.shape[:2], -1)
        else:
            hidden = self.input(batch.tokens)
        hidden = hidden + self.positions(hidden[..., 0])
        is_causal = not self.shape.classes
        mask = None
        if not is_causal and int(batch.lengths.min()) < batch.tokens.shape[1]:
            padding = ~_inside(batch)[:, None, None]  # (batch, head, query, key)
            mask = torch.zeros(padding.shape).masked_fill(padding, float("-inf"))
        for block in self.blocks:
            hidden = block(hidden, None, mask, is_causal=is_causal)
        states: Tensor = self.norm(hidden)
        return states

    def _logits(self, states: Tensor, batch: Batch) -> Tensor:
        inside = _inside(batch)[..., None]
        logits: Tensor = self.answer((states * inside).sum(1) / inside.sum(1))
        return logits

    def _nats(self, states: Tensor, batch: Batch) -> Tensor:
        before = states.gather(1, batch.ends[..., None].expand(-1, -1, states.shape[-1]))  # (batch, chunks, d)
        nats: Tensor = self.answer(before, batch.following)
        return nats


class ByteDecoder(nn.Module):
    """The bytes of a chunk from the state before it: a GRU that starts at that state, the same for all strategies."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.start = nn.Linear(dim, dim)
        self.rows = nn.Embedding(257, dim)  # the last one precedes the first byte
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, 256)

    def forward(self, before: Tensor, following: Tensor) -> Tensor:
        """Compute the nats of each chunk.

        Args:
            before: (batch, chunks, d) states.
            following: (batch, chunks, bytes), `NO_BYTE` after the end.

        Returns:
            (batch, chunks).
        """
        targets = following.flatten(0, 1)  # (n, bytes)
        previous = functional.pad(targets.masked_fill(targets == NO_BYTE, 0)[:, :-1], (1, 0), value=256)
        lengths = (targets != NO_BYTE).sum(1)
        packed = pack_padded_sequence(self.rows(previous), lengths, batch_first=True, enforce_sorted=False)
        expected = pack_padded_sequence(targets, lengths, batch_first=True, enforce_sorted=False)
        outputs, _ = self.gru(packed, torch.tanh(self.start(before.flatten(0, 1)))[None])
        nats = functional.cross_entropy(self.head(outputs.data), expected.data, reduction="none")
        by_chunk, _ = pad_packed_sequence(outputs._replace(data=nats), batch_first=True)
        summed: Tensor = by_chunk.sum(1)
        return summed.reshape(before.shape[:2])

    def most_likely(self, before: Tensor, count: int) -> Tensor:
        """Return the `count` bytes (n, count) that follow states (n, d), each the likeliest after those before it."""
        hidden = torch.tanh(self.start(before))[None]
        latest, chosen = torch.full((len(before), 1), 256), []
        for _ in range(count):
            output, hidden = self.gru(self.rows(latest), hidden)
            latest = self.head(output).argmax(-1)
            chosen.append(latest)
        return torch.cat(chosen, 1)


def _inside(batch: Batch) -> Tensor:
    """(batch, seq) whether a place holds a token and not padding."""
    return torch.arange(batch.tokens.shape[1]) < batch.lengths[:, None]
