"""Text and pictures as vectors of one space, by the two encoders of an open CLIP or SigLIP checkpoint.

The encoders are written here, since only a few of their parts are layers of inputs and heads; tests compare them with
transformers. They need PyTorch.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from rowspace import space
from rowspace.layers import from_checkpoint
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.table import Table
from rowspace_lab.pages.patches.images import Picture, fit_picture, open_photograph, open_picture, six_by_six
from rowspace_lab.pages.patches.replies import Towers

Read = Callable[[str], Tensor]

HEADS = {"clip": {"text": 8, "vision": 12}, "siglip": {"text": 12, "vision": 12}}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "clip": {"hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "image_size": 224},
    "siglip": {"hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6, "image_size": 224},
}
# The mean and standard deviation of red, green and blue in the training of each model.
COLORS = {
    "clip": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    "siglip": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
}


def open_pictures(*, names: Sequence[str], file: str) -> list[Picture]:
    """Open included pictures by name, and the user's file for other names."""
    pictures = []
    for name in names:
        if name == "six-by-six":
            pictures.append(six_by_six())
        else:
            pictures.append(open_photograph(name=name) if name.endswith(".jpg") else open_picture(file=file))
    return pictures


def text_ids(table: Table, *, texts: Sequence[str]) -> list[list[int]]:
    """Encode texts with the tokenizer of the table and the special tokens that its model expects."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(str(table.tokenizer))
    return [tokenizer.encode(text).ids for text in texts]


def towers_figure(ids: Sequence[Sequence[int]], pictures: Sequence[Picture], *, path: str) -> Towers:
    """Embed texts and pictures, and project them together to a plane by PCA."""
    checkpoint = Checkpoint(path)
    with torch.no_grad():
        texts = torch.cat([text_vector(checkpoint, each) for each in ids])
        images = torch.cat([picture_vector(checkpoint, each) for each in pictures])
    vectors = functional.normalize(torch.cat([texts, images]).double(), dim=1).numpy()
    count = len(ids)
    return {
        "texts": vectors[:count],
        "pictures": vectors[count:],
        "cosines": vectors[count:] @ vectors[:count].T,
        "positions": plane(vectors),
    }


def plane(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the first two principal components of vectors (n, d): (n, 2)."""
    positions = np.zeros((len(vectors), 2), np.float32)
    count = min(2, *vectors.shape)
    positions[:, :count] = space.pca(vectors, count).positions
    return positions


def text_vector(checkpoint: Checkpoint, ids: Sequence[int]) -> Tensor:
    """Embed a text of a few tokens: the state of its last one, projected: (1, k)."""
    kind = checkpoint.config["model_type"]
    config, read = checkpoint.config["text_config"], reader(checkpoint, "text_model.")
    longest = read("embeddings.position_embedding.weight").shape[0]
    kept = list(ids) if len(ids) <= longest else [*ids[: longest - 1], ids[-1]]
    if kind == "siglip":  # trained on texts of one length
        kept += [config.get("pad_token_id", 1)] * (longest - len(kept))
    hidden = from_checkpoint(checkpoint.folder, part="text")(torch.tensor([kept])).float()
    hidden = encode(hidden, read, settings(kind, config), heads_of(kind, "text", config), causal=kind == "clip")
    last = normed(hidden[:, -1], read, "final_layer_norm", settings(kind, config))
    if kind == "siglip":
        return linear(last, read, "head")
    return functional.linear(last, reader(checkpoint)("text_projection.weight"))


def picture_vector(checkpoint: Checkpoint, picture: Picture) -> Tensor:
    """Embed a picture: the state of the class token, or SigLIP's attention pooling, projected: (1, k)."""
    kind = checkpoint.config["model_type"]
    config, read = checkpoint.config["vision_config"], reader(checkpoint, "vision_model.")
    chosen, heads = settings(kind, config), heads_of(kind, "vision", config)
    side = chosen["image_size"]
    pixels = torch.from_numpy(fit_picture(picture, height=side, width=side, channels=3)).float() / 255
    mean, deviation = (torch.tensor(numbers) for numbers in COLORS[kind])
    images = ((pixels - mean) / deviation).permute(2, 0, 1)[None]
    hidden = from_checkpoint(checkpoint.folder, part="vision")(images).float()
    hidden = encode(hidden, read, chosen, heads, causal=False)
    if kind == "siglip":
        return attention_pooling(normed(hidden, read, "post_layernorm", chosen), read, chosen, heads)
    pooled = normed(hidden[:, 0], read, "post_layernorm", chosen)
    return functional.linear(pooled, reader(checkpoint)("visual_projection.weight"))


def encode(hidden: Tensor, read: Read, chosen: Mapping[str, Any], heads: int, *, causal: bool) -> Tensor:
    """Run the blocks of an encoder on hidden states (1, n, d)."""
    for block in range(chosen["num_hidden_layers"]):
        own = partial(read_in, read, f"encoder.layers.{block}.")
        states = normed(hidden, own, "layer_norm1", chosen)
        parts = [linear(states, own, f"self_attn.{name}_proj") for name in "qkv"]
        q, k, v = (part.reshape(1, -1, heads, part.shape[-1] // heads).transpose(1, 2) for part in parts)
        # q, k, v: (1, heads, n, d / heads)
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        hidden = hidden + linear(attended.transpose(1, 2).flatten(2), own, "self_attn.out_proj")
        hidden = hidden + feed_forward(normed(hidden, own, "layer_norm2", chosen), own, "mlp", chosen)
    return hidden


def attention_pooling(hidden: Tensor, read: Read, chosen: Mapping[str, Any], heads: int) -> Tensor:
    """Pool hidden states (1, n, d) by the attention of a learned query, as SigLIP does: (1, d)."""
    weights = read("head.attention.in_proj_weight").chunk(3)
    biases = read("head.attention.in_proj_bias").chunk(3)
    inputs = (read("head.probe"), hidden, hidden)
    parts = [functional.linear(*each) for each in zip(inputs, weights, biases, strict=True)]
    q, k, v = (part.reshape(1, -1, heads, part.shape[-1] // heads).transpose(1, 2) for part in parts)
    attended = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    pooled = linear(attended, read, "head.attention.out_proj")
    pooled = pooled + feed_forward(normed(pooled, read, "head.layernorm", chosen), read, "head.mlp", chosen)
    return pooled[:, 0]


def feed_forward(hidden: Tensor, read: Read, name: str, chosen: Mapping[str, Any]) -> Tensor:
    """Two linear layers with an activation between them."""
    inner = linear(hidden, read, f"{name}.fc1")
    if chosen["hidden_act"] == "quick_gelu":
        inner = inner * torch.sigmoid(1.702 * inner)
    else:
        inner = functional.gelu(inner, approximate="tanh" if "tanh" in chosen["hidden_act"] else "none")
    return linear(inner, read, f"{name}.fc2")


def normed(hidden: Tensor, read: Read, name: str, chosen: Mapping[str, Any]) -> Tensor:
    """LayerNorm."""
    weight, bias = read(f"{name}.weight"), read(f"{name}.bias")
    return functional.layer_norm(hidden, weight.shape, weight, bias, chosen["layer_norm_eps"])


def linear(hidden: Tensor, read: Read, name: str) -> Tensor:
    """A linear layer with a bias."""
    return functional.linear(hidden, read(f"{name}.weight"), read(f"{name}.bias"))


def settings(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an encoder, with the defaults of its model."""
    return {"num_hidden_layers": 12, **SETTINGS[kind], **config}


def heads_of(kind: str, part: str, config: Mapping[str, Any]) -> int:
    """The number of attention heads of an encoder."""
    return int(config.get("num_attention_heads", HEADS[kind][part]))


def reader(checkpoint: Checkpoint, prefix: str = "") -> Read:
    """Return a function that reads the tensors of a part as float32."""
    return partial(read_tensor, checkpoint, prefix)


def read_tensor(checkpoint: Checkpoint, prefix: str, name: str) -> Tensor:
    """Read a tensor of the checkpoint, by its name after the prefix."""
    return checkpoint.read(checkpoint.find((prefix + name,))).float()


def read_in(read: Read, prefix: str, name: str) -> Tensor:
    """Read a tensor of a part of the model."""
    return read(prefix + name)
