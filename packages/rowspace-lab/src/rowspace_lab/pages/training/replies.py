"""The replies of the Training page, and the frames of its job."""

from typing import NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown


class TrainingFrame(TypedDict):
    """The progress of a training job.

    The first frame has the table of step 0, before the model is made: `rows` (n, d) of the `tokens`, `ids` (n,). The
    others say that the run has more to read.
    """

    step: int
    steps: int
    tokens: NotRequired[list[str]]
    finished: NotRequired[bool]
    text: str
    """What the run reads, such as "your 12 sentences"."""
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
    watched: list[int]
    """The ids whose gradients are summed."""


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
    gradients, `input_gradient` and `head_gradient`, of AdamW's first moment and of the root of the second one,
    `first_moment` and `second_moment`, and of the step, `moved`; those of an untied head's row are `head_first_moment`,
    `head_second_moment` and `head_moved`, NaN where the row is tied.
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
    first_moment: Array
    second_moment: Array
    moved: Array
    head_first_moment: Array
    head_second_moment: Array
    head_moved: Array
    tied: bool


class TrainedRowReply(TrainedRow, Shown):
    """A row at the start and at a step."""


class BothSides(TypedDict):
    """Watched rows (n,) from the input and from the head; the first of them is compared with all.

    At each of `steps` (k,): the sums of their gradients so far, `input` and `head` (k, n, d). (k, n) each:
    `input_cosines` and `head_cosines` of the first row's sum with each row's, `side_cosines` of the sums of both sides
    of each row, norms of the two parts of AdamW's first moment (`input_moments`, `head_moments`), and of those of the
    step (`input_steps`, `head_steps`).
    """

    steps: Array
    tokens: list[str]
    input: Array
    head: Array
    input_cosines: Array
    head_cosines: Array
    side_cosines: Array
    input_moments: Array
    head_moments: Array
    input_steps: Array
    head_steps: Array
    tied: bool


class BothSidesReply(BothSides, Shown):
    """Watched rows from the input and from the head."""


class WithoutGradient(TypedDict):
    """How many input rows have moved at each recorded step, `steps` (r,), and by what.

    `by_gradient`, `by_momentum`, `by_decay` and `still` (r,) add up to the rows of the table. At `step`, `ids` (n,) are
    the rows without a gradient that have moved most, `moved` (n,) how far.
    """

    step: int
    steps: Array
    by_gradient: Array
    by_momentum: Array
    by_decay: Array
    still: Array
    ids: Array
    tokens: list[str]
    why: list[str]
    moved: Array
    median_with: float | None
    """The median step of rows with a gradient; null where there are none."""
    median_momentum: float | None
    median_decay: float | None
    tied: bool


class WithoutGradientReply(WithoutGradient, Shown):
    """Rows that move with and without a gradient."""


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
