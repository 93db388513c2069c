"""Rows from elsewhere in the input of a text model: image tokens, and soft prompts."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.init import Init, init_rows_

__all__ = ["SoftPrompt", "replace_rows"]


def replace_rows(rows: Tensor, ids: Tensor, token_id: int, others: Tensor) -> Tensor:
    """Put other rows in the places of a token: the patches of images in those of the image token.

    Source: LLaVA (Liu et al., 2023), as in transformers, which calls the result `inputs_embeds`.

    Args:
        rows: (..., d) rows of the text.
        ids: (...) ids of the tokens.
        token_id: The id whose rows are replaced.
        others: (..., d), as many rows as there are places, in their order; cast to the dtype of `rows`.

    Returns:
        (..., d), a new tensor; gradients reach both inputs.

    Raises:
        UsageError: If the shapes do not match, or the number of rows differs from that of the places.

    >>> replace_rows(torch.zeros(4, 2), torch.tensor([7, 9, 9, 7]), 9, torch.ones(2, 2))[:, 0]
    tensor([0., 1., 1., 0.])
    """
    if rows.shape[:-1] != ids.shape or others.shape[-1:] != rows.shape[-1:]:
        raise UsageError(
            f"rows {tuple(rows.shape)}, ids {tuple(ids.shape)} and others {tuple(others.shape)} do not match: expected "
            "(..., d), (...) and (..., d)"
        )
    places = ids == token_id
    given = others.numel() // max(rows.shape[-1], 1)
    if not torch.compiler.is_compiling() and not rows.is_meta and int(places.sum()) != given:
        raise UsageError(
            f"the ids have token {token_id} {int(places.sum())} times, but there are {given} rows for it; the "
            "processor must put one token for each patch"
        )
    return rows.masked_scatter(places.unsqueeze(-1), others.to(rows.dtype))


class SoftPrompt(nn.Module):
    """rows (batch, seq, d) → (batch, n + seq, d): n learned rows before those of each text.

    Source: Lester et al. 2021, "The Power of Scale for Parameter-Efficient Prompt Tuning"; PEFT's `PromptEmbedding`.

    Args:
        num_tokens: n.
        embedding_dim: d.
        init: As in `init_rows_`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1; in forward for another width.

    >>> SoftPrompt(20, 8)(torch.rand(2, 5, 8)).shape
    torch.Size([2, 25, 8])
    """

    def __init__(
        self,
        num_tokens: int,
        embedding_dim: int,
        *,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_tokens=num_tokens, embedding_dim=embedding_dim)
        self.init = init
        self.weight = nn.Parameter(torch.empty(num_tokens, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    @classmethod
    def from_ids(cls, table: nn.Embedding, ids: Sequence[int] | Tensor) -> "SoftPrompt":
        """A prompt that starts with the rows of a text.

        Args:
            table: The table of the model.
            ids: (n,) ids of the text.

        Returns:
            The prompt, on the device of the table; the table stays as it is.

        Raises:
            UsageError: For an id out of range, or ids of another shape.
        """
        places = torch.as_tensor(ids, device=table.weight.device)
        if places.dim() != 1:
            raise UsageError(f"ids must have shape (n,), got {tuple(places.shape)}")
        check_ids(places, table.num_embeddings)
        with torch.no_grad():
            rows = table(places)
        prompt = cls(len(rows), rows.shape[-1], device=rows.device, dtype=rows.dtype)
        prompt.weight.data.copy_(rows)
        return prompt

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Initialize the rows again, by `init`.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        init_rows_(self.weight, self.init, generator=generator)

    def forward(self, rows: Tensor) -> Tensor:
        """Rows (batch, seq, d) → (batch, n + seq, d)."""
        if rows.dim() != 3 or rows.shape[-1] != self.weight.shape[1]:
            raise UsageError(f"rows must have shape (batch, seq, {self.weight.shape[1]}), got {tuple(rows.shape)}")
        return torch.cat([self.weight.to(rows.dtype).expand(rows.shape[0], -1, -1), rows], 1)

    def extend_mask(self, mask: Tensor) -> Tensor:
        """Put ones for the prompt before a mask (batch, seq): (batch, n + seq)."""
        return torch.cat([mask.new_ones(mask.shape[0], self.weight.shape[0]), mask], 1)

    def extra_repr(self) -> str:
        """The sizes."""
        return ", ".join(map(str, self.weight.shape))
