"""The replies of the Arena page, and the frames of its job."""

from typing import TypedDict

from rowspace_lab.shared.figure import Shown


class ArenaFrame(TypedDict):
    """The progress of an arena: its result has more to read."""

    id: str
    done: int
    total: int
    finished: bool


class SavedArena(TypedDict):
    """A saved arena. Its numbers are null where the file cannot be read, and `problem` says why."""

    id: str
    name: str
    """The name of its folder, or of the one that comes with the workbench; empty for runs of the page."""
    changed: str
    seconds: float | None
    seeds: int | None
    scale: int | None
    runs: int
    problem: str | None


class ArenasReply(TypedDict):
    """The saved arenas, the newest first, and what a run can be."""

    saved: list[SavedArena]
    strategies: list[str]
    tasks: list[str]
    missing: str | None
    """What to install before an arena can run; null if nothing is missing."""


class PlanReply(TypedDict):
    """An arena that could run: how many runs it has, how many of them are saved, and how long they take at least."""

    id: str
    runs: int
    saved: int
    seconds: float
    cores: int
    code: str


class ArenaTask(TypedDict):
    """A task: its measure, and the baseline of a model that ignores its input."""

    name: str
    measure: str
    lower: bool
    """Whether less is better."""
    baseline: float
    classes: int
    winner: str | None
    train_inputs: int
    test_inputs: int


class ArenaEntry(TypedDict):
    """A strategy on a task; `quality` and `spread` are null if no run has finished."""

    task: str
    strategy: str
    quality: float | None
    spread: float | None
    spread_over: str
    seeds: int
    status: str
    failed: list[str]
    """Why runs did not finish."""


class ArenaSizes(TypedDict):
    """The sizes of a strategy: its rows, or the side of its patches."""

    num_embeddings: int | None
    patch_size: int | None
    dim: int
    parameters: int
    image_tokens: int | None
    """Null where the text that trains the tokenizer decides."""


class ArenaStrategy(TypedDict):
    """A strategy at full size and scaled down."""

    name: str
    full: ArenaSizes
    scaled: ArenaSizes


class ArenaPoint(TypedDict):
    """Byte pairs at a vocabulary size; null where no run has finished."""

    num_embeddings: int
    table_bytes: int
    tokens_per_word: float | None
    attention_flops: int | None
    median_count: float | None
    bits_per_byte: float | None
    spread: float | None
    seeds: int


class ArenaResult(TypedDict):
    """The table of an arena, its verdict, the sizes of its strategies, and the curve over vocabulary sizes."""

    seconds: float
    seeds: int
    verdict: str
    tasks: list[ArenaTask]
    entries: list[ArenaEntry]
    strategies: list[ArenaStrategy]
    curve: list[ArenaPoint]


class ArenaReply(ArenaResult, Shown):
    """A saved arena."""


class ArenaCosts(TypedDict):
    """What the runs of a cell cost and read, on average; null where no run has finished, or for patches."""

    parameters: float | None
    table_parameters: float | None
    tokens_per_input: float | None
    steps: float | None
    inputs: float | None
    passes: float | None
    cpu_seconds: float | None
    seconds: float | None
    input_milliseconds: float | None
    state_bytes: float | None
    activation_bytes: float | None
    unknown: float | None
    median_count: float | None
    rare_rows: float | None
    unused_rows: float | None


class LearningCurve(TypedDict):
    """The mean training loss of a run, in bits, until each number of CPU seconds."""

    seed: int
    seconds: list[float]
    bits: list[float]


class WrongInput(TypedDict):
    """A held-out input that was answered wrong; for next bytes, a chunk with the most bits."""

    text: str
    image: list[str] | None
    """Rows of letters, A for black to f for white."""
    expected: str
    answer: str
    bits: float | None


class ArenaCell(TypedDict):
    """Why a strategy did what it did on a task."""

    why: str
    qualities: list[float]
    """Of each finished seed."""
    costs: ArenaCosts
    curves: list[LearningCurve]
    wrong: list[WrongInput]


class ArenaCellReply(ArenaCell, Shown):
    """Why a strategy did what it did on a task."""
