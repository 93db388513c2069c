"""The oracle is `F.cross_entropy` on the full logits, in float64 unless a test says otherwise."""

import copy
from functools import partial

import pytest
import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  # its usual name

from rowspace.errors import UsageError
from rowspace.layers.head.cross_entropy import cross_entropy

SETTINGS = {
    "plain": {},
    "label smoothing": {"label_smoothing": 0.1},
    "z-loss": {"z_loss": 0.01},
    "softcap": {"softcap": 3.0},
    "all": {"label_smoothing": 0.1, "z_loss": 0.01, "softcap": 3.0},
}


def full_logits(hidden, weight, targets, *, bias=None, label_smoothing=0.0, z_loss=0.0, softcap=None, reduction="mean"):
    """The loss with all logits in memory."""
    logits = F.linear(hidden, weight, bias).flatten(0, -2)
    logits = logits if softcap is None else softcap * torch.tanh(logits / softcap)
    flat = targets.flatten()
    losses = F.cross_entropy(logits, flat, label_smoothing=label_smoothing, reduction="none")
    losses = losses + z_loss * torch.logsumexp(logits, -1) ** 2 * (flat != -100)
    if reduction == "none":
        return losses.view(targets.shape)
    return losses.sum() / (flat != -100).sum() if reduction == "mean" else losses.sum()


def make_inputs(dtype=torch.float64, *, shape=(2, 7), num_embeddings=11, embedding_dim=5):
    """Hidden states, weight, targets with three ignored rows, bias."""
    torch.manual_seed(0)
    hidden, weight, bias = (
        torch.randn(size, dtype=dtype).requires_grad_()
        for size in ((*shape, embedding_dim), (num_embeddings, embedding_dim), (num_embeddings,))
    )
    targets = torch.randint(0, num_embeddings, shape)
    targets[0, 3:5], targets[1, 0] = -100, -100
    return hidden, weight, targets, bias


def gradients(loss: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Gradients for an incoming gradient that is not 1 and differs by row."""
    upstream = torch.linspace(-1, 2, loss.numel(), dtype=loss.dtype).view(loss.shape) + 0.3
    return torch.autograd.grad((loss * upstream).sum(), inputs)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("chunk_size", [None, 4])
def test_value_and_gradients_match_the_full_logits(settings, reduction, chunk_size):
    hidden, weight, targets, bias = make_inputs()
    ours = cross_entropy(hidden, weight, targets, bias=bias, reduction=reduction, chunk_size=chunk_size, **settings)
    theirs = full_logits(hidden, weight, targets, bias=bias, reduction=reduction, **settings)
    torch.testing.assert_close(ours, theirs)
    inputs = (hidden, weight, bias)
    torch.testing.assert_close(gradients(ours, *inputs), gradients(theirs, *inputs))


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_gradcheck(reduction):
    hidden, weight, targets, bias = make_inputs(shape=(2, 5), num_embeddings=6, embedding_dim=3)

    def loss(hidden, weight, bias):
        return cross_entropy(
            hidden, weight, targets, bias=bias, reduction=reduction, chunk_size=3, **SETTINGS["all"]
        )  # fmt: skip

    assert torch.autograd.gradcheck(loss, (hidden, weight, bias))


def double_backward(loss, *inputs):
    """The gradient of the loss plus ten times the square of its own gradient."""
    first = torch.autograd.grad(loss, inputs, create_graph=True)
    return torch.autograd.grad(loss + 10 * sum(gradient.square().sum() for gradient in first), inputs)


def test_weights_of_rows_and_classes_match_the_full_logits():
    hidden, weight, targets, bias = make_inputs()
    rows, classes = torch.randn(targets.shape, dtype=torch.float64), torch.rand(weight.shape[0], dtype=torch.float64)
    keep = targets != -100
    for options in ({}, {"softcap": 3.0, "z_loss": 0.01}, {"label_smoothing": 0.1}):
        for reduction in ("mean", "sum", "none"):
            for row_weights, class_weights in ((rows, None), (None, classes), (rows, classes)):
                if class_weights is not None and "label_smoothing" in options:
                    continue
                factors = (1 if row_weights is None else row_weights) * keep
                factors = factors * (1 if class_weights is None else class_weights[targets.clamp(min=0)])
                weights = {"row_weights": row_weights, "class_weights": class_weights}
                ours = cross_entropy(
                    hidden, weight, targets, bias=bias, chunk_size=4, reduction=reduction, **weights, **options
                )
                losses = full_logits(hidden, weight, targets, bias=bias, reduction="none", **options) * factors
                theirs = {"mean": losses.sum() / factors.sum(), "sum": losses.sum(), "none": losses}[reduction]
                message = partial("{}: {}".format, (options, reduction, *weights))
                torch.testing.assert_close(ours, theirs, msg=message)
                mine, reference = (gradients(each, hidden, weight, bias) for each in (ours, theirs))
                torch.testing.assert_close(mine, reference, msg=message)


def test_class_weights_are_those_of_torch():
    hidden, weight, targets, _ = make_inputs()
    classes = torch.rand(weight.shape[0], dtype=torch.float64)
    logits = F.linear(hidden, weight).flatten(0, 1)
    ours = cross_entropy(hidden, weight, targets, class_weights=classes)
    torch.testing.assert_close(ours, F.cross_entropy(logits, targets.flatten(), weight=classes))


def test_weights_may_be_learned():
    hidden, weight, targets, _ = make_inputs(shape=(2, 5), num_embeddings=6, embedding_dim=3)
    rows = torch.rand(targets.shape, dtype=torch.float64, requires_grad=True)

    def loss(hidden, weight, rows):
        return cross_entropy(hidden, weight, targets, row_weights=rows, chunk_size=3)

    assert torch.autograd.gradcheck(loss, (hidden, weight, rows))
    fixed = rows.detach()
    assert torch.autograd.gradgradcheck(partial(loss, rows=fixed), (hidden, weight), fast_mode=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"row_weights": torch.ones(2, 6)},
            r"row_weights must be floating point numbers of shape \(2, 7\), one number per",
        ),
        ({"class_weights": torch.ones(11).long()}, r"class_weights must be .* of shape \(11,\), .*; got torch.int64"),
        ({"class_weights": torch.ones(11), "label_smoothing": 0.1}, "are not supported with label_smoothing"),
    ],
)
def test_weights_that_do_not_fit_are_refused(options, message):
    hidden, weight, targets, _ = make_inputs()
    with pytest.raises(UsageError, match=message):
        cross_entropy(hidden, weight, targets, **options)


def test_second_derivatives_match_the_full_logits():
    for settings in SETTINGS.values():
        for reduction in ("mean", "sum"):
            hidden, weight, targets, bias = make_inputs()
            inputs, options = (hidden, weight, bias), {"reduction": reduction, **settings}
            ours = cross_entropy(hidden, weight, targets, bias=bias, chunk_size=4, **options)
            theirs = full_logits(hidden, weight, targets, bias=bias, **options)
            actual, expected = double_backward(ours, *inputs), double_backward(theirs, *inputs)
            torch.testing.assert_close(actual, expected, msg=partial("{}: {}".format, options))


def test_gradgradcheck_with_every_setting():
    hidden, weight, targets, bias = make_inputs(shape=(2, 5), num_embeddings=6, embedding_dim=3)
    targets[1, 2] = 4
    for reduction in ("mean", "sum", "none"):
        for present in (True, False):

            def loss(hidden, weight, *bias, reduction=reduction):
                options = {"bias": bias[0] if bias else None, "reduction": reduction, **SETTINGS["all"]}
                return cross_entropy(hidden, weight, targets, chunk_size=3, **options)

            inputs = (hidden, weight, bias) if present else (hidden, weight)
            assert torch.autograd.gradgradcheck(loss, inputs, fast_mode=True), f"{reduction}, bias {present}"


def test_third_derivatives_match_the_full_logits():
    hidden, weight, targets, bias = make_inputs(shape=(2, 5), num_embeddings=6, embedding_dim=3)

    def third(loss):
        value = loss(hidden, weight, targets, bias=bias, **SETTINGS["all"])
        for _ in range(3):
            (gradient,) = torch.autograd.grad(value, weight, create_graph=True)
            value = gradient.square().sum()
        return value

    torch.testing.assert_close(third(cross_entropy), third(full_logits))


def test_second_derivatives_by_functional_transforms():
    hidden, weight, targets, _ = make_inputs(shape=(2, 5), num_embeddings=6, embedding_dim=3)

    def derivatives(loss, reduction):
        def total(hidden, weight):
            return loss(hidden, weight, targets, reduction=reduction, **SETTINGS["all"]).sum()

        def penalty(hidden, weight):
            return sum(part.square().sum() for part in torch.func.grad(total, argnums=(0, 1))(hidden, weight))

        hessian = torch.func.jacrev(torch.func.jacrev(total, argnums=(0, 1)), argnums=(0, 1))(hidden, weight)
        by_sample = torch.func.vmap(torch.func.grad(penalty), in_dims=(0, None))(torch.stack([hidden] * 2), weight)
        return torch.func.grad(penalty, argnums=(0, 1))(hidden, weight), hessian, by_sample

    for reduction in ("mean", "none"):
        torch.testing.assert_close(derivatives(cross_entropy, reduction), derivatives(full_logits, reduction))


def test_ignored_rows_have_no_second_derivative():
    hidden, weight, targets, _ = make_inputs()
    spoilt = hidden.detach().clone()
    spoilt[targets == -100] = torch.nan
    spoilt.requires_grad_()
    clean = double_backward(cross_entropy(hidden, weight, targets), hidden, weight)
    actual = double_backward(cross_entropy(spoilt, weight, targets), spoilt, weight)
    torch.testing.assert_close(actual, clean)


def test_second_derivatives_in_bfloat16_are_accurate():
    hidden, weight, targets, bias = make_inputs(torch.bfloat16)
    inputs = (hidden, weight, bias)
    actual = double_backward(cross_entropy(hidden, weight, targets, bias=bias), *inputs)
    wide = tuple(part.detach().float().requires_grad_() for part in inputs)
    expected = double_backward(full_logits(wide[0], wide[1], targets, bias=wide[2]), *wide)
    for mine, reference in zip(actual, expected, strict=True):
        assert mine.dtype == torch.bfloat16
        torch.testing.assert_close(mine.float(), reference, rtol=0.05, atol=0.05)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # from torch, when it first needs a forward rule
def test_forward_mode_raises():
    hidden, weight, targets, _ = make_inputs()
    with pytest.raises(NotImplementedError, match="forward mode"):
        torch.func.jvp(lambda weight: cross_entropy(hidden, weight, targets), (weight,), (weight,))


def test_float32_is_within_1e_6_of_float64():
    hidden, weight, targets, bias = make_inputs(torch.float32, shape=(3, 50), num_embeddings=700, embedding_dim=32)
    ours = cross_entropy(hidden, weight, targets, bias=bias)
    exact = full_logits(hidden.double(), weight.double(), targets, bias=bias.double())
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours.double(), exact, rtol=1e-6, atol=0)
    for mine, reference in zip(gradients(ours, hidden, weight), gradients(exact, hidden, weight), strict=True):
        torch.testing.assert_close(mine, reference, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_matches_a_linear_layer_with_float32_loss(dtype):
    hidden, weight, targets, bias = make_inputs(dtype, shape=(2, 30), num_embeddings=40, embedding_dim=16)
    ours = cross_entropy(hidden, weight, targets, bias=bias, chunk_size=16)
    logits = F.linear(hidden, weight, bias).float().flatten(0, -2)
    theirs = F.cross_entropy(logits, targets.flatten())
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=0)
    assert ours.dtype == torch.float32
    for mine, reference in zip(gradients(ours, hidden, weight), gradients(theirs, hidden, weight), strict=True):
        assert mine.dtype == dtype
        torch.testing.assert_close(mine, reference, rtol=3 * torch.finfo(dtype).eps, atol=1e-4)


def test_gradient_of_a_row_is_summed_in_float32():
    """4096 rows of one target in 64 chunks: in a bfloat16 sum, chunks after the first 2000 rows would be lost."""
    hidden = torch.ones(4096, 1, dtype=torch.bfloat16)
    weight = torch.zeros(2, 1, dtype=torch.bfloat16, requires_grad=True)
    loss = cross_entropy(hidden, weight, torch.zeros(4096, dtype=torch.int64), reduction="sum", chunk_size=8)
    loss.backward()
    assert weight.grad.flatten().tolist() == [-2048, 2048]


def test_small_float16_gradient_does_not_underflow_in_the_mean():
    """1/60000 in float16 would underflow before the loss scale is applied."""
    hidden = torch.ones(40_000, 1, dtype=torch.float16)
    weight = torch.tensor([[0.0], [9.0]], dtype=torch.float16, requires_grad=True)
    loss = cross_entropy(hidden, weight, torch.ones(40_000, dtype=torch.int64))
    (loss * 65536).backward()
    expected = 65536 * torch.sigmoid(torch.tensor(-9.0))
    torch.testing.assert_close(weight.grad[0, 0].float(), expected, rtol=2e-3, atol=0)


@pytest.mark.parametrize("rows", [0, 4])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_all_rows_ignored_matches_torch(rows, reduction):
    hidden, weight = torch.randn(rows, 3, requires_grad=True), torch.randn(5, 3, requires_grad=True)
    targets = torch.full((rows,), -100)
    ours = cross_entropy(hidden, weight, targets, reduction=reduction)
    theirs = F.cross_entropy(hidden @ weight.T, targets, reduction=reduction)
    torch.testing.assert_close(ours, theirs, equal_nan=True)
    for gradient in torch.autograd.grad(ours.sum(), (hidden, weight)):
        assert not gradient.any()


def test_ignore_index_may_be_a_row_of_the_table():
    hidden, weight, _, _ = make_inputs()
    targets = torch.arange(14).view(2, 7) % 4
    ours = cross_entropy(hidden, weight, targets, ignore_index=0)
    theirs = F.cross_entropy((hidden @ weight.T).flatten(0, 1), targets.flatten(), ignore_index=0)
    torch.testing.assert_close(ours, theirs)


def test_ignored_rows_are_not_read():
    hidden, weight, targets, _ = make_inputs()
    clean = cross_entropy(hidden, weight, targets)
    spoilt = hidden.detach().clone()
    spoilt[targets == -100] = torch.nan
    spoilt.requires_grad_()
    loss = cross_entropy(spoilt, weight, targets)
    loss.backward()
    assert loss == clean
    assert not spoilt.grad[targets == -100].any()


def test_large_logits_stay_finite():
    hidden, weight = torch.tensor([[1e4, -1e4]]), torch.eye(2)
    loss = cross_entropy(hidden, weight, torch.tensor([1]))
    assert loss == 20_000


def test_small_loss_of_large_logits_is_accurate():
    hidden, weight = torch.tensor([[100.0, 90.0]]), torch.eye(2)
    loss = cross_entropy(hidden, weight, torch.tensor([0]))
    torch.testing.assert_close(loss, torch.tensor(-10.0).exp().log1p(), rtol=3e-3, atol=0)


def test_only_needed_gradients_are_computed():
    hidden, weight, targets, bias = make_inputs()
    weight.requires_grad_(False)
    saved = cross_entropy(hidden, weight, targets, bias=bias, reduction="sum").grad_fn.saved_tensors[-3:]
    assert [gradient.numel() for gradient in saved] == [14 * 5, 0, 11]
    loss = cross_entropy(hidden, weight, targets, bias=bias)
    loss.backward()
    assert weight.grad is None
    expected = torch.autograd.grad(full_logits(hidden, weight, targets, bias=bias), (hidden, bias))
    torch.testing.assert_close((hidden.grad, bias.grad), expected)
    with torch.no_grad():
        assert cross_entropy(hidden, weight, targets, bias=bias) == loss


def test_second_backward_pass_adds_the_same_gradient():
    hidden, weight, targets, _ = make_inputs()
    loss = cross_entropy(hidden, weight, targets)
    loss.backward(retain_graph=True)
    once = copy.copy(weight.grad)
    weight.grad = None
    loss.backward()
    assert torch.equal(weight.grad, once)


def test_autocast_matches_a_linear_layer():
    hidden, weight, targets, _ = make_inputs(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        ours = cross_entropy(hidden, weight, targets)
        theirs = F.cross_entropy(F.linear(hidden, weight).float().flatten(0, 1), targets.flatten())
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=0)
    mine, reference = gradients(ours, weight)[0], gradients(theirs, weight)[0]
    assert mine.dtype == torch.float32
    torch.testing.assert_close(mine, reference, rtol=2**-6, atol=1e-4)
    assert not torch.equal(mine, mine.bfloat16().float())  # summed in float32 and not rounded


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_per_sample_gradients_with_vmap(reduction):
    hidden, weight, targets, _ = make_inputs()

    def by_sample(loss):
        gradient = torch.func.grad(lambda *parts: loss(*parts, reduction=reduction).sum(), argnums=(0, 1))
        return torch.func.vmap(gradient, in_dims=(0, None, 0))(hidden, weight, targets)

    torch.testing.assert_close(by_sample(cross_entropy), by_sample(full_logits))


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_gradients_with_checkpointing(reduction):
    hidden, weight, targets, _ = make_inputs()

    def loss(hidden, weight):
        return cross_entropy(hidden, weight, targets, reduction=reduction)

    checkpointed = torch.utils.checkpoint.checkpoint(loss, hidden, weight, use_reentrant=False)
    expected = full_logits(hidden, weight, targets, reduction=reduction)
    torch.testing.assert_close(gradients(checkpointed, hidden, weight), gradients(expected, hidden, weight))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the compiler
def test_compiles_as_one_graph():
    hidden, weight, targets, bias = make_inputs()
    compiled = torch.compile(lambda *parts: cross_entropy(*parts, bias=bias), fullgraph=True, backend="aot_eager")
    loss, expected = compiled(hidden, weight, targets), full_logits(hidden, weight, targets, bias=bias)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(gradients(loss, hidden, weight), gradients(expected, hidden, weight))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the compiler
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_compiles_without_gradients(reduction):
    hidden, weight, targets, bias = make_inputs()

    def loss(hidden, weight, targets):
        return cross_entropy(hidden, weight, targets, bias=bias, reduction=reduction)

    with torch.no_grad():
        ours = torch.compile(loss, fullgraph=True, backend="aot_eager")(hidden, weight, targets)
    expected = full_logits(hidden, weight, targets, bias=bias, reduction=reduction)
    torch.testing.assert_close(ours, expected.detach())


def test_meta_device_gives_a_shape():
    hidden, weight, targets, _ = make_inputs()
    parts = [part.to("meta") for part in (hidden, weight, targets)]
    assert cross_entropy(*parts).shape == ()
    assert cross_entropy(*parts, reduction="none").shape == (2, 7)


def test_error_names_the_target_out_of_range():
    with pytest.raises(UsageError, match=r"target 5 is out of range for 5 rows of weight \(row 1 of the flattened"):
        cross_entropy(torch.ones(2, 3), torch.ones(5, 3), torch.tensor([-100, 5]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": torch.ones(2, 4)}, r"hidden \(2, 4\) and weight \(5, 3\) do not match"),
        ({"hidden": torch.ones(2, 3, dtype=torch.float64)}, "hidden is torch.float64 and weight torch.float32"),
        ({"targets": torch.zeros(3, dtype=torch.int64)}, r"targets must be int64 ids of shape \(2,\)"),
        ({"targets": torch.zeros(2, dtype=torch.int32)}, "got torch.int32"),
        ({"bias": torch.zeros(4)}, r"bias must have shape \(5,\)"),
        ({"label_smoothing": 1.5}, "between 0 and 1, got 1.5"),
        ({"softcap": 0.0}, "above 0 and finite, got 0.0"),
        ({"softcap": float("inf")}, "above 0 and finite, got inf"),
        ({"softcap": float("nan")}, "above 0 and finite, got nan"),
        ({"z_loss": float("nan")}, "z_loss must be finite, got nan"),
        ({"reduction": "average"}, "got 'average'"),
        ({"chunk_size": 0}, "at least 1 row, got 0"),
    ],
)
def test_invalid_argument_raises(change, message):
    arguments = {"hidden": torch.ones(2, 3), "weight": torch.ones(5, 3), "targets": torch.tensor([0, 1]), **change}
    with pytest.raises(UsageError, match=message):
        cross_entropy(**arguments)
