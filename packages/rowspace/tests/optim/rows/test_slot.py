"""Whatever reads or writes a deferred parameter, through a module or not, finds rows that are up to date."""

import copy
import gc
import io
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import example, given, strategies as st
from safetensors.torch import load, save
from tests.optim.races import Race
from torch import nn
from torch.func import functional_call, grad
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from rowspace.errors import UsageError
from rowspace.layers import TiedHead, TokenEmbedding
from rowspace.layers.inputs.fused_input import by_parts, fused_input
from rowspace.optim import DeferredAdamW, DeferredSGD, DenseGradientWarning, RowAdagrad

CLOSE = 1e-12
WITH_DENSE_GRADIENTS = pytest.mark.filterwarnings("ignore::rowspace.optim.DenseGradientWarning")
WHILE_COMPILING = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:VecISA:UserWarning")  # from torch
SIZE, DIM = 30, 4
# Far from the rows, so that no gradient comes close to 0. AdamW divides a gradient by its size, and near an optimum
# this multiplies rounding errors in each step, by up to 10 with betas of 0.5.
TARGET = -3.0


class SecondArgument(nn.Embedding):
    """The ids are the second argument, and changed before the lookup."""

    def forward(self, name, ids):
        return super().forward((ids + 1) % SIZE)


class Model(nn.Module):
    """A table with everything that may read it; all of them have one parameter."""

    def __init__(self, *, sparse):
        super().__init__()
        options = {"sparse": sparse, "dtype": torch.float64}
        self.table = TokenEmbedding(SIZE, DIM, **options)
        self.plain = nn.Embedding(SIZE, DIM, **options)
        self.bag = nn.EmbeddingBag(SIZE, DIM, mode="sum", **options)
        self.second = SecondArgument(SIZE, DIM, **options)
        self.linear = nn.Linear(DIM, SIZE, bias=False, dtype=torch.float64)
        for module in (self.plain, self.bag, self.second, self.linear):
            module.weight = self.table.weight
        self.head = TiedHead(self.table)

    @property
    def weight(self):
        return self.table.weight


READS = {
    "TokenEmbedding": lambda model, ids: model.table(ids),
    "Embedding": lambda model, ids: model.plain(ids),
    "forward of Embedding": lambda model, ids: nn.Embedding.forward(model.plain, ids),
    "bag by keywords": lambda model, ids: model.bag(offsets=torch.tensor([0, 1]), input=ids),
    "subclass": lambda model, ids: model.second("name", ids),
    "functional": lambda model, ids: functional.embedding(ids, model.weight, sparse=model.table.sparse),
    "functional with a dense gradient": lambda model, ids: functional.embedding(ids, model.weight),
    "indexing": lambda model, ids: model.weight[ids],
    "tied head": lambda model, ids: functional.cross_entropy(model.head(model.table(ids)), ids),
    "loss of a tied head": lambda model, ids: model.head.loss(model.plain(ids), ids),
    "tied linear layer": lambda model, ids: functional.cross_entropy(model.linear(model.plain(ids)), ids),
    "product": lambda model, ids: model.plain(ids) @ model.weight.T,
    "regularization": lambda model, ids: model.weight.square().sum() + model.table(ids).sum(),
    "list of tensors": lambda model, ids: torch.cat([model.weight, model.weight])[ids],
}


COMPILED = [
    "regularization",
    "functional",
    "subclass",
    "tied linear layer",
    "tied head",
    "product",
    "loss of a tied head",
]


def twins():
    """A model with dense gradients and one with sparse ones, with the same rows, and their optimizers."""
    torch.manual_seed(0)
    dense, sparse = Model(sparse=False), Model(sparse=True)
    sparse.load_state_dict(dense.state_dict())
    return (dense, torch.optim.AdamW(dense.parameters(), lr=0.01)), (sparse, DeferredAdamW(sparse, lr=0.01))


def train(pairs, ids, read=READS["TokenEmbedding"]):
    """A step of both models on these ids."""
    for model, optimizer in pairs:
        optimizer.zero_grad()
        (read(model, ids) - TARGET).square().sum().backward()
        optimizer.step()


def deviation(ours, theirs):
    """The largest difference, relative to the largest number if that is above 1."""
    ours, theirs = ours.detach(), theirs.detach()
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1))


def some_steps(pairs, count=12):
    """Steps on few ids, so that most rows are behind."""
    for step in range(count):
        train(pairs, torch.tensor([step % 3, 5, 5]))


@WITH_DENSE_GRADIENTS
@pytest.mark.parametrize("name", READS)
def test_each_way_to_read_rows_trains_as_with_adamw(name):
    pairs = twins()
    for _ in range(3):
        some_steps(pairs)
        train(pairs, torch.tensor([7, 2, 7]), READS[name])
    (dense, _), (sparse, _) = pairs
    assert deviation(sparse.state_dict()["table.weight"], dense.state_dict()["table.weight"]) < CLOSE


@pytest.mark.long  # test_hooks.py compiles a lookup by another backend
@WITH_DENSE_GRADIENTS
@WHILE_COMPILING
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions_read_rows_that_are_up_to_date(name):
    """By Inductor: other backends call operations on the parameter itself, which bring its rows up to date."""
    pairs = twins()
    compiled = torch.compile(READS[name], fullgraph=True)
    for _ in range(3):
        some_steps(pairs)
        train(pairs[:1], torch.tensor([7, 2, 7]), READS[name])
        train(pairs[1:], torch.tensor([7, 2, 7]), compiled)
    (dense, _), (sparse, _) = pairs
    assert deviation(sparse.weight, dense.weight) < CLOSE


@pytest.mark.long
@WITH_DENSE_GRADIENTS
@WHILE_COMPILING
def test_a_compiled_fused_input_reads_rows_that_are_up_to_date():
    torch.manual_seed(0)
    words, others = torch.randn(SIZE, 8), [torch.randn(2, 8), torch.randn(4, 8)]
    norm = torch.ones(8), torch.zeros(8)
    dense, sparse = nn.Embedding.from_pretrained(words.clone(), False), nn.Embedding.from_pretrained(words, False)
    sparse.sparse = True
    pair = torch.optim.AdamW(dense.parameters(), lr=0.01), DeferredAdamW(sparse, lr=0.01)
    compiled = torch.compile(fused_input, fullgraph=True)
    for step in range(30):
        ids = torch.tensor([[step % 3, 5, 5, 7 if step % 10 == 9 else 0]])
        ids = ids, torch.zeros_like(ids), torch.arange(4)[None]
        for table, optimizer, function in ((dense, pair[0], by_parts), (sparse, pair[1], compiled)):
            optimizer.zero_grad()
            rows = function(ids, (table.weight, *others), *norm, eps=1e-5, sparse=table.sparse)
            (rows - 0.3).pow(3).sum().backward()
            optimizer.step()
    torch.testing.assert_close(sparse.weight.clone(), dense.weight.detach(), rtol=1e-5, atol=1e-5)


@WHILE_COMPILING
def test_other_operations_in_compiled_functions_end_the_graph():
    """Such as writes, which a copy of the table would lose."""

    def write(model):
        with torch.no_grad():
            model.weight.data.mul_(0.5)
            model.weight[3] = 1.0
            model.weight.detach()[4] = 2.0

    pairs = twins()
    some_steps(pairs)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="only lookups, products and sums of the table"):
        torch.compile(write, fullgraph=True)(pairs[1][0])
    write(pairs[0][0])
    torch.compile(write)(pairs[1][0])
    some_steps(pairs)
    assert deviation(pairs[1][0].weight, pairs[0][0].weight) < CLOSE


def in_file(model):
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False).weight


def averaged(model):
    average = AveragedModel(model)
    average.update_parameters(model)
    return average.module.weight


def gradient_by_functional_call(module, *arguments):
    parameters = dict(module.named_parameters())
    gradients = grad(lambda given: functional_call(module, given, arguments).square().sum())(parameters)
    return gradients["weight"].to_dense()


VIEWS = {
    "AveragedModel": averaged,
    "copy.deepcopy": lambda model: copy.deepcopy(model).weight,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)).weight,
    "torch.save": in_file,
    "safetensors": lambda model: load(save({"rows": model.weight}))["rows"],
    "NumPy": lambda model: torch.from_numpy(model.weight.detach().numpy().copy()),
    "data": lambda model: model.weight.data.clone(),
    "vector of parameters": lambda model: nn.utils.parameters_to_vector([model.weight]),
    "operator": lambda model: torch.ops.aten.embedding(model.weight, torch.arange(SIZE)),
    "as_subclass": lambda model: model.weight.as_subclass(torch.Tensor),
    "torch.jit.trace": lambda model: torch.jit.trace(model.plain, torch.arange(2))(torch.arange(SIZE)),
    "torch.export": lambda model: torch.export.export(model.plain, (torch.arange(SIZE),)).module()(torch.arange(SIZE)),
    "torch.func": lambda model: gradient_by_functional_call(model.plain, torch.arange(SIZE)),
    "torch.func of a subclass": lambda model: gradient_by_functional_call(model.second, "name", torch.arange(SIZE)),
    "torch.func of a linear layer": lambda model: gradient_by_functional_call(model.linear, torch.ones(DIM).double()),
    "text": lambda model: torch.tensor([str(model.weight.double()) == str(model.weight.detach())]),
}


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # also from torch.func
@pytest.mark.parametrize("name", VIEWS)
def test_each_view_of_the_rows_is_up_to_date(name):
    (dense, _), (sparse, deferred) = pairs = twins()
    some_steps(pairs)
    assert deviation(VIEWS[name](sparse).double(), VIEWS[name](dense).double()) < CLOSE
    some_steps(pairs)
    deferred.flush()
    assert deviation(sparse.weight, dense.weight) < CLOSE


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_traced_module_reads_rows_that_are_up_to_date_after_more_steps():
    (dense, _), (sparse, _) = pairs = twins()
    some_steps(pairs)
    traced = torch.jit.trace(sparse.plain, torch.arange(2))
    some_steps(pairs)
    assert deviation(traced(torch.arange(SIZE)), dense.weight) < CLOSE


READ = st.sampled_from([name for name in READS if name != "list of tensors"])
PROGRAM = st.lists(
    st.tuples(READ, st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=4), st.integers(0, 15), st.booleans()),
    min_size=1,
    max_size=4,
)


@WITH_DENSE_GRADIENTS
@example(  # a gradient of -9.3e-6 that is a difference of numbers near 0.1 enlarges errors of the rows
    program=[
        ("tied head", [28, 29], 1, False),
        ("TokenEmbedding", [0, 3], 11, True),
        ("tied head", [10, 28], 8, True),
        ("TokenEmbedding", [0, 0], 4, True),
    ],
    betas=(0.9, 0.7),
    decay=0,
)
@given(program=PROGRAM, betas=st.sampled_from([(0.9, 0.999), (0.9, 0.7), (0.5, 0.5)]), decay=st.sampled_from([0, 0.1]))
def test_any_sequence_of_reads_and_gaps_trains_as_with_adamw(program, betas, decay):
    pairs = twins()
    for read, ids, gap, is_warm in program:
        for _, optimizer in pairs:
            optimizer.param_groups[0].update(lr=0.02 if is_warm else 0.001, betas=betas, weight_decay=decay)
        some_steps(pairs, gap)
        train(pairs, torch.tensor(ids), READS[read])
    (dense, _), (sparse, _) = pairs
    with torch.no_grad():
        assert deviation(sparse.head(torch.eye(DIM).double()), dense.weight.T) < CLOSE


@pytest.mark.parametrize("make", [DeferredAdamW, DeferredSGD, RowAdagrad])
def test_reads_that_cannot_be_seen_are_noticed_at_the_step(make):
    """A tensor that was made before shares the memory of the weight."""
    model = nn.Embedding(SIZE, DIM, sparse=True)
    optimizer = make(model, weight_decay=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.tensor([1])).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    view = model.weight[:]
    model(torch.tensor([2])).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    view[[3, 4, 4]].sum().backward()
    before = model.weight.detach().clone()
    with pytest.raises(
        UsageError, match=r"2 rows of the table of shape \[30, 4\] were read before they were up to date"
    ):
        optimizer.step()
    assert model.weight.equal(before)


def share_memory(model, kind):
    """Give a tensor of the model the memory of its table, and return it."""
    if kind == "buffer":
        model.register_buffer("last", model.weight.detach()[5:])
        return model.last
    if kind == "frozen":
        model.frozen = nn.Embedding.from_pretrained(model.weight.data)
        return model.frozen.weight
    model.output = nn.Linear(DIM, SIZE, bias=False, dtype=torch.float64)
    model.output.weight.data = model.weight.data
    return model.output.weight


@pytest.mark.parametrize("is_before", [True, False])
@pytest.mark.parametrize("kind", ["parameter", "frozen", "buffer"])
def test_tensors_of_the_model_that_share_the_memory_are_up_to_date(kind, is_before):
    """Also where the memory is shared only after some steps."""
    found = []
    for sparse in (False, True):
        torch.manual_seed(0)
        model = Model(sparse=sparse)
        shared = share_memory(model, kind) if is_before else None
        optimizer = DeferredAdamW(model, lr=0.01) if sparse else torch.optim.AdamW(model.parameters(), lr=0.01)
        some_steps([(model, optimizer)])
        shared = shared if is_before else share_memory(model, kind)
        some_steps([(model, optimizer)])
        found.append(shared.detach().clone())
    assert deviation(found[1], found[0]) < CLOSE


def test_writes_are_not_undone_by_steps_that_were_missed_before():
    """Also in low precision, whose copy in float32 has the rows that are updated."""
    for dtype in (torch.float64, torch.bfloat16):
        for write in (
            lambda table: table.load_state_dict({"weight": torch.ones(SIZE, DIM)}),
            lambda table: table.weight.data.fill_(1.0),
            lambda table: nn.init.ones_(table.weight),
            lambda table: table.weight.set_(torch.ones(SIZE, DIM, dtype=table.weight.dtype)),
        ):
            table = nn.Embedding(SIZE, DIM, sparse=True, dtype=dtype)
            optimizer = DeferredAdamW(table, lr=0.0 if dtype == torch.bfloat16 else 1e-9, weight_decay=0.0)
            for ids in ([1, 2], [3], [4], [1]):
                optimizer.zero_grad()
                table(torch.tensor(ids)).sum().backward()
                optimizer.step()
            with torch.no_grad():
                write(table)
            optimizer.zero_grad()
            table(torch.tensor([2, 5])).sum().backward()
            optimizer.step()
            optimizer.flush()
            assert (table.weight - 1).abs().max() < 1e-7, dtype


def test_a_table_belongs_to_one_deferred_optimizer():
    table = nn.Embedding(SIZE, DIM, sparse=True)
    first = DeferredAdamW(table)
    with pytest.raises(UsageError, match=r"table of shape \[30, 4\] already belongs to a deferred optimizer; delete"):
        DeferredSGD(table)
    first.itself = first  # a cycle of references, as with some schedulers
    del first
    assert DeferredSGD(table)


def test_a_parameter_of_a_class_of_its_own_is_refused():
    class Special(nn.Parameter):
        pass

    table = nn.Embedding(SIZE, DIM, sparse=True)
    table.weight.__class__ = Special
    with pytest.raises(UsageError, match=r"is a Special and not an nn\.Parameter"):
        DeferredAdamW(table)


def test_the_parameter_is_an_ordinary_one_before_and_after():
    race = Race().run(5)
    parameter = race.sparse.weight
    assert isinstance(parameter, nn.Parameter)
    assert type(type(parameter)(parameter.data, requires_grad=False)) is nn.Parameter  # as accelerate makes copies
    assert repr(parameter).startswith("Parameter containing:\ntensor(")
    del race.optimizer
    gc.collect()
    assert type(parameter) is nn.Parameter
    assert not parameter._backward_hooks


def test_frozen_tables_may_be_trained_later():
    dense, sparse = Model(sparse=False), Model(sparse=True)
    sparse.load_state_dict(dense.state_dict())
    for model in (dense, sparse):
        model.weight.requires_grad_(False)
    optimizers = torch.optim.AdamW(dense.parameters()), DeferredAdamW(sparse)
    for model in (dense, sparse):
        model.weight.requires_grad_(True)
    some_steps(list(zip((dense, sparse), optimizers, strict=True)))
    assert deviation(sparse.weight, dense.weight) < CLOSE


def test_the_first_dense_gradient_warns():
    pairs = twins()
    some_steps(pairs)
    with pytest.warns(DenseGradientWarning):
        train(pairs[1:], torch.tensor([1, 2]), READS["tied head"])


def test_threads_that_read_rows_take_missed_steps_once():
    """Kernels run without Python's lock, so that two threads could bring the same rows up to date."""
    for make in (nn.Embedding, TokenEmbedding):
        torch.manual_seed(0)
        table = make(20_000, 16, sparse=True, dtype=torch.float64)
        optimizer = DeferredAdamW(table, lr=0.1, weight_decay=0.5)
        for ids in (torch.arange(20_000), *[torch.tensor([1])] * 9):
            optimizer.zero_grad()
            table(ids).sum().backward()
            optimizer.step()
        with ThreadPoolExecutor(4) as threads, torch.no_grad():
            rows = list(threads.map(lambda _, read=table: read(torch.arange(20_000)).detach(), range(4)))
        assert all(each.equal(table.weight) for each in rows)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # has threads, of which the child needs none
def test_a_forked_process_does_not_take_the_missed_steps_of_shared_rows():
    pairs = twins()
    (dense, _), (sparse, deferred) = pairs
    deferred.zero_grad()
    sparse.share_memory()
    some_steps(pairs)
    child = os.fork()
    if child == 0:
        with torch.no_grad():
            sparse.plain(torch.arange(SIZE))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert deviation(sparse.weight, dense.weight) < CLOSE


def test_a_table_that_was_resized_or_cast_is_refused_at_the_step():
    """Its moments have the old size; rows that are not read or written are not touched."""
    for change in (lambda rows: rows[:10].clone(), lambda rows: rows[:, :2].clone(), lambda rows: rows.half()):
        table = nn.Embedding(SIZE, DIM, sparse=True)
        optimizer = DeferredAdamW(table)
        for _ in range(3):
            optimizer.zero_grad()
            table(torch.tensor([1, 2])).sum().backward()
            optimizer.step()
        optimizer.zero_grad()
        table.weight.data = changed = change(table.weight.data)
        table(torch.tensor([1, 2])).sum().backward()
        with pytest.raises(
            UsageError, match=r"the table was \[30, 4\] torch.float32 on cpu when .*; create the optimizer"
        ):
            optimizer.step()
        optimizer.flush()
        assert table.weight.equal(changed)


def test_a_graph_that_has_saved_the_table_before_a_step_is_refused():
    """As with torch's optimizers, whose steps write to the tensor in place."""
    table = nn.Embedding(SIZE, DIM, sparse=True)
    optimizer = DeferredAdamW(table)
    hidden = torch.ones(DIM, requires_grad=True)
    logits = functional.linear(hidden, table.weight.detach())
    table(torch.tensor([1])).sum().backward()
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        logits.square().sum().backward()


def test_huge_ids_are_out_of_range():
    table = TokenEmbedding(SIZE, DIM, sparse=True)
    optimizer = DeferredAdamW(table)
    for _ in range(2):
        table(torch.tensor([1])).sum().backward()
        optimizer.step()
    with pytest.raises(UsageError, match="is out of range for a table of 30 rows"):
        table(torch.full((32,), 2**59 + 3))


def test_low_precision_rows_keep_what_is_written_after_a_flush_or_by_max_norm():
    table = nn.Embedding(SIZE, DIM, sparse=True, dtype=torch.bfloat16)
    optimizer = DeferredAdamW(table, lr=0.0)
    memory = table.weight.data
    for _ in range(3):
        optimizer.zero_grad()
        table(torch.tensor([1])).sum().backward()
        optimizer.step()
    optimizer.flush()
    memory[1] = 7
    optimizer.zero_grad()
    table(torch.tensor([1])).sum().backward()
    memory[2] = 5
    optimizer.step()
    assert table.weight[1].eq(7).all()
    assert table.weight[2].eq(5).all()
    table.max_norm = 1.0
    optimizer.zero_grad()
    table(torch.tensor([1])).sum().backward()
    optimizer.step()
    assert table.weight[1].norm() < 1.1


def test_the_saved_state_of_low_precision_rows_has_what_was_written():
    tables = [nn.Embedding(SIZE, DIM, sparse=True, dtype=torch.bfloat16) for _ in range(2)]
    first, second = (DeferredAdamW(table, lr=0.0) for table in tables)
    tables[0](torch.tensor([1])).sum().backward()
    first.step()
    nn.init.ones_(tables[0].weight)
    tables[1].load_state_dict(tables[0].state_dict())
    tables[1](torch.tensor([1])).sum().backward()
    second.step()
    second.load_state_dict(first.state_dict())
    second.step()
    second.flush()
    assert tables[1].weight.eq(1).all()
