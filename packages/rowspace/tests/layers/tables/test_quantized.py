import pytest
import torch
from hypothesis import example, given, strategies as st

from rowspace.errors import UsageError
from rowspace.layers import QuantizedEmbedding

LIMITS = {8: 127, 4: 7}


def table(num_embeddings: int = 50, dim: int = 7) -> torch.Tensor:
    """Rows of very different sizes, one of them zero."""
    torch.manual_seed(0)
    return torch.randn(num_embeddings, dim) * torch.logspace(-3, 3, num_embeddings).sub(1e-3).unsqueeze(1)


@pytest.mark.parametrize("dim", [1, 2, 7, 16])
@pytest.mark.parametrize("bits", [8, 4])
def test_matches_torch_fake_quantize(bits: int, dim: int) -> None:
    # Oracle: fake_quantize_per_channel_affine, bit for bit.
    weight = table(dim=dim)
    quantized = QuantizedEmbedding.from_float(weight, bits=bits)
    limit, zeros = LIMITS[bits], torch.zeros(50, dtype=torch.int32)
    scales = weight.abs().amax(1) / limit
    assert torch.equal(quantized.scales, scales)
    expected = torch.fake_quantize_per_channel_affine(weight, scales.clamp_min(1e-30), zeros, 0, -limit, limit)
    torch.testing.assert_close(quantized.dequantize(), expected, atol=0, rtol=1e-6)


@pytest.mark.parametrize("bits", [8, 4])
@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=9))
@example([1e-45])
@example([2.6e-43])  # 190 times the smallest number: with a scale rounded to that number, the code overflows 8 bits
def test_error_is_at_most_half_a_scale(bits: int, row: list[float]) -> None:
    weight = torch.tensor([row])
    quantized = QuantizedEmbedding.from_float(weight, bits=bits)
    assert ((quantized.dequantize() - weight).abs() <= quantized.scales * 0.5001).all()


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)], ids=str)
def test_lookup_matches_rows_of_dequantize(bits: int, shape: tuple[int, ...]) -> None:
    quantized = QuantizedEmbedding.from_float(table(), bits=bits)
    ids = torch.randint(50, shape)
    assert torch.equal(quantized(ids), quantized.dequantize()[ids])


@pytest.mark.parametrize("bits", [8, 4])
def test_tables_longer_than_a_block_are_quantized(bits: int) -> None:
    weight = table(5000, 2)
    quantized = QuantizedEmbedding.from_float(weight, bits=bits)
    assert ((quantized.dequantize() - weight).abs() <= quantized.scales.unsqueeze(1) * 0.5001).all()


@pytest.mark.parametrize(
    ("bits", "dim", "expected"), [(8, 7, 50 * 7 + 200), (4, 7, 50 * 4 + 200), (4, 8, 50 * 4 + 200)]
)
def test_number_of_bytes_and_parameters(bits: int, dim: int, expected: int) -> None:
    quantized = QuantizedEmbedding.from_float(table(dim=dim), bits=bits)
    assert quantized.bytes == expected
    assert quantized.num_parameters == 50 * (dim + 1)


@pytest.mark.parametrize("bits", [8, 4])
def test_state_loads_into_an_empty_table(bits: int) -> None:
    quantized, empty = QuantizedEmbedding.from_float(table(), bits=bits), QuantizedEmbedding(50, 7, bits=bits)
    empty.load_state_dict(quantized.state_dict())
    assert torch.equal(empty.dequantize(), quantized.dequantize())


def test_state_with_other_bits_or_dimension_is_refused() -> None:
    # The codes have the same shape in each pair.
    for (bits, dim), (other_bits, other_dim) in (((8, 4), (4, 8)), ((4, 7), (4, 8)), ((4, 8), (8, 4))):
        saved = QuantizedEmbedding.from_float(table(dim=dim), bits=bits).state_dict()
        other = torch.nn.Sequential(QuantizedEmbedding(50, other_dim, bits=other_bits))
        assert other[0].codes.shape == saved["codes"].shape
        message = f"0: the state is of a table of {bits} bits and {dim} columns, not {other_bits} bits and {other_dim}"
        with pytest.raises(RuntimeError, match=message):
            other.load_state_dict({f"0.{name}": tensor for name, tensor in saved.items()})
        assert not other[0].dequantize().any()


def test_unrecorded_state_with_codes_of_other_bits_or_dimension_is_refused() -> None:
    # In the first two pairs the codes have the same shape, so that torch would copy them.
    for (bits, dim), (other_bits, other_dim) in (
        ((8, 4), (4, 8)),
        ((4, 8), (8, 4)),
        ((4, 8), (4, 10)),
        ((8, 7), (4, 7)),
    ):
        saved = QuantizedEmbedding.from_float(table(dim=dim), bits=bits).state_dict()
        del saved["_extra_state"]
        other = QuantizedEmbedding(50, other_dim, bits=other_bits)
        message = (
            f"QuantizedEmbedding: the state records no bits, and its codes, .* have {bits} bits; this table has "
            f"{other_bits} bits and {other_dim} columns"
        )
        with pytest.raises(RuntimeError, match=message):
            other.load_state_dict(saved)
        assert not other.dequantize().any()


@pytest.mark.parametrize("bits", [8, 4])
def test_unrecorded_state_loads_into_a_table_of_its_bits(bits: int) -> None:
    quantized, empty = QuantizedEmbedding.from_float(table(), bits=bits), QuantizedEmbedding(50, 7, bits=bits)
    saved = quantized.state_dict()
    del saved["_extra_state"]
    empty.load_state_dict(saved)
    assert torch.equal(empty.dequantize(), quantized.dequantize())


@pytest.mark.parametrize("bits", [8, 4])
def test_rows_have_the_dtype_of_the_scales(bits: int) -> None:
    weight = table().bfloat16()
    quantized = QuantizedEmbedding.from_float(weight, bits=bits).bfloat16()
    rows = quantized(torch.tensor([3, 4]))
    assert rows.dtype == torch.bfloat16
    assert ((rows - weight[3:5]).abs() <= weight[3:5].abs().amax(1, keepdim=True) * (0.51 / LIMITS[bits] + 0.01)).all()


def test_from_float_accepts_a_parameter() -> None:
    quantized = QuantizedEmbedding.from_float(torch.nn.Parameter(table()))
    assert not quantized(torch.tensor([1])).requires_grad
    assert list(quantized.parameters()) == []


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.tensor([1.0]), r"weight must be a float table \(V, d\), not torch.float32 of shape \[1\]"),
        (torch.ones(2, 2).int(), r"weight must be a float table \(V, d\), not torch.int32 of shape \[2, 2\]"),
        (torch.tensor([[1.0], [torch.nan]]), "weight has a number that is not finite in row 1"),
        (
            torch.cat([torch.ones(4097, 1), torch.full((1, 1), torch.inf)]),
            "weight has a number that is not finite in row 4097",
        ),
    ],
)
def test_from_float_refuses_invalid_tables(weight: torch.Tensor, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        QuantizedEmbedding.from_float(weight)


def test_invalid_bits_and_ids_raise() -> None:
    with pytest.raises(UsageError, match="bits must be 4 or 8, not 3"):
        QuantizedEmbedding(10, 4, bits=3)
    with pytest.raises(UsageError, match=r"id 10 at \[0\] is out of range for a table of 10 rows"):
        QuantizedEmbedding(10, 4)(torch.tensor([10]))


@pytest.mark.parametrize("settings", [5, torch.tensor([8]), torch.tensor([8.0, 4.0])], ids=str)
def test_damaged_settings_of_a_state_raise(settings: object) -> None:
    state = QuantizedEmbedding(10, 4).state_dict() | {"_extra_state": settings}
    with pytest.raises(RuntimeError, match="recorded settings are damaged"):
        QuantizedEmbedding(10, 4).load_state_dict(state)


def test_rows_are_contiguous() -> None:
    for bits, dim in ((8, 7), (4, 7), (4, 8)):
        assert QuantizedEmbedding.from_float(table(dim=dim), bits=bits)(torch.tensor([3, 1])).is_contiguous()


def test_exported_graph_has_no_byte_shifts() -> None:
    # torch 2.13 exports a shift of unsigned bytes as one of signed bytes, and onnxruntime refuses the model.
    exported = torch.export.export(QuantizedEmbedding.from_float(table(), bits=4), (torch.tensor([3]),))
    assert not [node.name for node in exported.graph.nodes if "shift" in str(node.target)]
