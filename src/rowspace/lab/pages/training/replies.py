"""The replies of the Training page, and the frames of its job."""

from typing import NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown


class TrainingFrame(TypedDict):
    """The progress of a training job.

    The first frame has the table of step 0, before the model is made: `rows` (n, d) of the `tokens`, `ids` (n,). The
    others say that the run has more to read.
    """

    step: int
    steps: int
    tokens: NotRequired[list[str]]
    finished: NotRequired[bool]
    code: str
    """The call that trains the run."""


class RunState(TypedDict):
    """How far a run is."""

    step: int
    steps: int


class OwnRunReply(TypedDict):
    """The run that `rowspace lab RUN` has opened; null where it has opened a table."""

    run: RunState | None


class Curves(RunState):
    """The curves of a run.

    Of the steps `loss_steps` (n,): `loss`, nats per token. At `held_steps` (m,): `held`, bits per byte of held-out
    text. At `norm_steps` (r,): `mean_norm` and `largest_norm` of the rows.
    """

    num_embeddings: int
    dim: int
    loss_steps: Array
    loss: Array
    held_steps: Array
    held: Array
    norm_steps: Array
    mean_norm: Array
    largest_norm: Array
    loss_at_start: float | None
    """The loss before the first update; null before there is one."""
    uniform: float
    """ln V, the loss of equal probabilities for all tokens."""
    tied: bool


class CurvesReply(Curves, Shown):
    """The curves of a run."""


class Snapshots(TypedDict):
    """The sampled rows at each of the `steps` (k,): their `positions` (k, n, 2) on the map.

    `ids` (n,) are the tokens, `groups` (n,) the kind of each. `table` (k, m, d) are the rows of the m most frequent.
    """

    steps: Array
    ids: Array
    groups: Array
    positions: Array
    table: Array
    tokens: list[str]
    counts: list[int]
    group_names: list[str]


class SnapshotsReply(Snapshots, Shown):
    """The sampled rows at each recorded step."""


class Updates(TypedDict):
    """Of all rows (V,) at a step: `updates` from the input, `targets` of the head, `distances` from the start."""

    step: int
    updates: Array
    targets: Array
    distances: Array
    groups: Array
    tokens: list[str]
    group_names: list[str]
    untouched: int
    """Rows that no text has looked up."""
    untouched_distance: float | None
    """Their median distance from the start; null where there are none."""
    bands: list[str]
    """Rows by how often they were updated: rare to frequent."""
    band_rows: list[int]
    band_distances: list[float | None]
    """The median distance of each band; null for an empty one."""


class UpdatesReply(Updates, Shown):
    """Updates and distances of all rows at a step."""


class TrainedRow(TypedDict):
    """A row at the start and at a step: `start` and `now` (d,).

    `scores` (k,) are those of its nearest sampled tokens by cosine. At `gradient_steps` (r,): the norms of its
    gradients, `input_gradient` and `head_gradient`.
    """

    id: int
    step: int
    token: str
    count: int
    updates: int
    distance: float
    start: Array
    now: Array
    neighbors: list[str]
    scores: Array
    gradient_steps: Array
    input_gradient: Array
    head_gradient: Array
    tied: bool


class TrainedRowReply(TrainedRow, Shown):
    """A row at the start and at a step."""


class Moved(TypedDict):
    """The rows that differ most between two runs that began with the same ones: `distances` (n,)."""

    tokens: list[str]
    distances: Array
    median: float
    """Of all rows."""


class MovedReply(Moved, Shown):
    """The rows that differ most between two runs."""


class MaskChanges(TypedDict):
    """How much a prediction changes when the two first tokens change places, with each mask.

    The largest change of a probability; 0 means that the model cannot tell one order from the other.
    """

    causal: float
    full: float


class MaskChangesReply(MaskChanges, Shown):
    """How much a prediction changes with the order of the tokens."""
