"""The number of parameters of a transformer's blocks: attention, feed-forward, norms."""


def linear(inputs: int, outputs: int, *, bias: bool = True) -> int:
    """A matrix and a bias."""
    return inputs * outputs + outputs * bias


def layer_norm(dim: int) -> int:
    """A weight and a bias."""
    return 2 * dim


def attention(dim: int, *, queries: int | None = None, keys: int | None = None, bias: bool = True) -> int:
    """Queries, keys, values and output; `queries` and `keys` are dimensions of all heads together, by default `dim`."""
    queries = dim if queries is None else queries
    keys = queries if keys is None else keys
    return linear(dim, queries, bias=bias) + 2 * linear(dim, keys, bias=bias) + linear(queries, dim, bias=bias)


def feed_forward(dim: int, inner: int, *, bias: bool = True, gated: bool = False) -> int:
    """Two projections, up and down, and with a gate another one up."""
    return (1 + gated) * linear(dim, inner, bias=bias) + linear(inner, dim, bias=bias)


def classic_block(dim: int, inner: int) -> int:
    """The block of the 2017 Transformer with biases and two LayerNorms: BERT, GPT-2, OPT, ViT, CLIP."""
    return attention(dim) + feed_forward(dim, inner) + 2 * layer_norm(dim)
