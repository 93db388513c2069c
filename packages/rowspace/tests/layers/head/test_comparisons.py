"""Log-probabilities, entropies and divergences of heads; the oracle is torch on the full logits, in float64."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from rowspace.errors import UsageError
from rowspace.layers import TiedHead, TokenEmbedding, UntiedHead
from rowspace.optim import DeferredAdamW

SHAPE, ROWS, DIM, TEACHER_DIM = (3, 6), 11, 5, 4


def make_head(kind="untied", dim=DIM, **options):
    torch.manual_seed(1)
    if kind == "tied":
        head = TiedHead(TokenEmbedding(ROWS, dim, dtype=torch.float64), **options)
    else:
        head = UntiedHead(dim, ROWS, dtype=torch.float64, **options)
    for parameter in (head.weight, head.bias):
        if parameter is not None:
            nn.init.normal_(parameter)
    return head


HEADS = {
    "plain": {},
    "every setting": {"bias": True, "scale": "rsqrt", "softcap": 3.0, "temperature": 1.7},
}


def make_states(dim=DIM, dtype=torch.float64):
    torch.manual_seed(2)
    return torch.randn(*SHAPE, dim, dtype=dtype, requires_grad=True)


def make_ids():
    torch.manual_seed(3)
    ids = torch.randint(0, ROWS, SHAPE)
    ids[0, 2], ids[2, 0] = -100, -100
    return ids


def parameters(head):
    return [part for part in (head.weight, head.bias) if part is not None]


def expected_log_probs(logits, ids):
    """Log-probabilities and entropies from all logits, zero at ignored places."""
    every, keep = logits.log_softmax(-1), ids != -100
    picked = every.gather(-1, ids.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return picked * keep, -(every.exp() * every).sum(-1) * keep


def expected_divergence(logits, teacher_logits, *, reverse):
    ours, theirs = logits.log_softmax(-1), teacher_logits.log_softmax(-1)
    pair = (theirs, ours) if reverse else (ours, theirs)
    return F.kl_div(*pair, log_target=True, reduction="none").sum(-1)


def test_log_probs_and_entropies_match_the_full_logits():
    ids, states = make_ids(), make_states()
    upstream = torch.randn(2, *SHAPE, dtype=torch.float64)
    for kind in ("tied", "untied"):
        for name, options in HEADS.items():
            for temperature, chunk_size in ((1.0, None), (2.5, 4)):
                head = make_head(kind, **options)
                ours = head.log_probs(states, ids, temperature=temperature, chunk_size=chunk_size)
                theirs = expected_log_probs(head(states) / temperature, ids)
                message = partial("{}: {}".format, (kind, name, temperature))
                torch.testing.assert_close(tuple(ours), theirs, msg=message)
                inputs = [states, *parameters(head)]
                mine, reference = (
                    torch.autograd.grad((torch.stack(tuple(each)) * upstream).sum(), inputs) for each in (ours, theirs)
                )
                torch.testing.assert_close(mine, reference, msg=message)


def test_log_probs_in_half_precision_are_computed_in_single_precision():
    head = UntiedHead(64, 2_000)
    states, ids = torch.randn(40, 64), torch.randint(0, 2_000, (40,))
    nn.init.normal_(head.weight)
    head, states = head.bfloat16(), states.bfloat16()
    with torch.no_grad():
        ours = head.log_probs(states, ids)
        expected = expected_log_probs(head(states).double(), ids)
    assert ours.log_probs.dtype == ours.entropy.dtype == torch.float32
    torch.testing.assert_close([each.double() for each in ours], list(expected), rtol=1e-6, atol=1e-6)


def test_excluded_tokens_have_probability_zero():
    """A bias of -inf excludes ids, as in constrained generation."""
    head = make_head(bias=True)
    with torch.no_grad():
        head.bias[3:6] = -torch.inf
    states = make_states()
    found = head.log_probs(states, torch.full(SHAPE, 4))
    assert found.log_probs.eq(-torch.inf).all()
    allowed = [0, 1, 2, 6, 7, 8, 9, 10]
    rest = (states @ head.weight[allowed].T + head.bias[allowed]).log_softmax(-1)
    torch.testing.assert_close(found.entropy, -(rest.exp() * rest).sum(-1))
    teacher = make_head(bias=True, dim=TEACHER_DIM)
    with torch.no_grad():
        teacher.bias[3:6] = -torch.inf
    for reverse in (False, True):
        loss = head.kl_divergence(states, teacher, make_states(TEACHER_DIM), reverse=reverse)
        (gradient,) = torch.autograd.grad(loss, states)
        assert loss.isfinite()
        assert gradient.isfinite().all()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_divergences_match_the_full_logits(reverse, reduction):
    states, teacher_states = make_states(), make_states(TEACHER_DIM)
    mask = torch.rand(SHAPE) > 0.3
    for name, options in HEADS.items():
        for temperature, chunk_size in ((1.0, None), (2.5, 4)):
            head, teacher = make_head("tied", **options), make_head(dim=TEACHER_DIM, softcap=2.0)
            ours = head.kl_divergence(
                states, teacher, teacher_states, reverse=reverse, temperature=temperature, mask=mask,
                reduction=reduction, chunk_size=chunk_size,
            )  # fmt: skip
            pair = (head(states) / temperature, (teacher(teacher_states) / temperature).detach())
            rows = expected_divergence(*pair, reverse=reverse) * mask
            theirs = {"mean": rows.sum() / mask.sum(), "sum": rows.sum(), "none": rows}[reduction]
            message = partial("{}: {}".format, (name, temperature))
            torch.testing.assert_close(ours, theirs, msg=message)
            upstream, inputs = torch.randn_like(ours), [states, *parameters(head)]
            mine, reference = (torch.autograd.grad((each * upstream).sum(), inputs) for each in (ours, theirs))
            torch.testing.assert_close(mine, reference, msg=message)


def test_a_teacher_is_a_constant():
    head, teacher = make_head(), make_head(dim=TEACHER_DIM)
    teacher_states = make_states(TEACHER_DIM)
    head.kl_divergence(make_states(), teacher, teacher_states).backward()
    assert head.weight.grad is not None
    assert teacher.weight.grad is None
    assert teacher_states.grad is None


def test_no_place_counts():
    head, teacher = make_head(), make_head(dim=TEACHER_DIM)
    nothing = torch.zeros(SHAPE, dtype=torch.bool)
    total = head.kl_divergence(make_states(), teacher, make_states(TEACHER_DIM), mask=nothing, reduction="sum")
    (gradient,) = torch.autograd.grad(total, head.weight)
    assert gradient.eq(0).all()
    found = head.log_probs(make_states(), torch.full(SHAPE, -100))
    (gradient,) = torch.autograd.grad(found.entropy.sum(), head.weight)
    assert gradient.eq(0).all()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the compiler
def test_comparisons_compile_as_one_graph():
    head, teacher, ids = make_head(), make_head(dim=TEACHER_DIM), make_ids()

    def loss(states, teacher_states):
        found = head.log_probs(states, ids)
        divergence = head.kl_divergence(states, teacher, teacher_states)
        by_row = head.kl_divergence(states, teacher, teacher_states, reverse=True, reduction="none")
        return found.log_probs.sum() + found.entropy.sum() + divergence + by_row.sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    states, teacher_states = make_states(), make_states(TEACHER_DIM)
    ours, theirs = compiled(states, teacher_states), loss(states, teacher_states)
    torch.testing.assert_close(ours, theirs)
    inputs = [states, head.weight]
    torch.testing.assert_close(torch.autograd.grad(ours, inputs), torch.autograd.grad(theirs, inputs))


def test_deferred_rows_are_current_in_comparisons():
    """Rows that a deferred optimizer has not updated yet are updated before a head compares with them."""
    ids = torch.randint(0, ROWS, SHAPE)
    found = []
    for is_deferred in (True, False):
        torch.manual_seed(4)
        table = TokenEmbedding(ROWS, DIM, dtype=torch.float64, sparse=is_deferred)
        head, teacher = TiedHead(table), make_head(dim=TEACHER_DIM)
        options = {"lr": 0.1, "weight_decay": 0.1}
        optimizer = DeferredAdamW(table, **options) if is_deferred else torch.optim.AdamW([table.weight], **options)
        for step in range(4):
            optimizer.zero_grad()
            table(torch.tensor([step, 2])).sum().backward()
            optimizer.step()
        with torch.no_grad():
            log_probs = head.log_probs(make_states(), ids).log_probs
            divergence = head.kl_divergence(make_states(), teacher, make_states(TEACHER_DIM), reduction="none")
        found.append(torch.stack([log_probs, divergence]))
    torch.testing.assert_close(*found, rtol=1e-11, atol=1e-12)


def test_wrong_arguments_are_named():
    head, teacher = make_head(), make_head(dim=TEACHER_DIM)
    states, teacher_states, ids = make_states(), make_states(TEACHER_DIM), make_ids()
    smaller = UntiedHead(TEACHER_DIM, ROWS - 1, dtype=torch.float64)
    for call, message in (
        (lambda: head.log_probs(states, ids, temperature=0.0), "temperature must be above 0"),
        (lambda: head.log_probs(states, ids[:2]), "targets must be int64 ids of shape"),
        (lambda: head.log_probs(states, ids + 5), "is out of range for 11 rows"),
        (lambda: head.kl_divergence(states, smaller, teacher_states), "the heads have 11 and 10 rows"),
        (lambda: head.kl_divergence(states, teacher, teacher_states[:2]), "teacher_hidden must have shape"),
        (lambda: head.kl_divergence(states, teacher, teacher_states, mask=ids), "mask must be bool of shape"),
        (lambda: head.kl_divergence(states, teacher, teacher_states, reduction="max"), "reduction must be"),
    ):
        with pytest.raises(UsageError, match=message):
            call()
