"""ids and pixels → vectors → logits → loss: PyTorch modules, one concept a file.

Needs `rowspace[torch]`. Nothing here knows of tables or files, but for `from_checkpoint`.
"""

from rowspace.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.layers needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.layers.alibi import Alibi, alibi_slopes
from rowspace.layers.catalogue import CATALOGUE, PublishedModel
from rowspace.layers.concatenation import Concatenation
from rowspace.layers.cost import cost
from rowspace.layers.cost_counts import Cost, TrainingBytes
from rowspace.layers.cross_entropy import cross_entropy
from rowspace.layers.grid_position import GridPosition, grid_of
from rowspace.layers.head import TiedHead, UntiedHead
from rowspace.layers.image_embedding import ImageEmbedding
from rowspace.layers.input_embedding import InputEmbedding
from rowspace.layers.learned_position import LearnedPosition
from rowspace.layers.patch_cost import PatchCost, patch_cost
from rowspace.layers.patches import PatchEmbedding, pad_to_patches, unfold_patches
from rowspace.layers.positions import Counting, positions_by_mask, positions_by_place
from rowspace.layers.prefix_tokens import PrefixTokens
from rowspace.layers.recipes import (
    albert,
    bert,
    bloom,
    clip_text,
    clip_vision,
    deit,
    dinov2,
    from_checkpoint,
    from_config,
    gemma,
    gpt2,
    llama,
    mistral,
    modernbert,
    mpt,
    opt,
    qwen,
    roberta,
    siglip_text,
    siglip_vision,
    t5,
    transformer,
    vit,
)
from rowspace.layers.relative_bias import RelativeBias, relative_buckets
from rowspace.layers.relative_scores import PositionScheme, RelativeScores, distant_scores, relative_scores
from rowspace.layers.resampling import resample_patches, resample_positions
from rowspace.layers.rotary import (
    AxialRotaryPosition,
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    MultimodalRotaryPosition,
    ProportionalScaling,
    RotaryLayout,
    RotaryPosition,
    RotaryScaling,
    YarnScaling,
    grid_positions,
    permute_rotary,
    rotary_frequencies,
    rotary_from_config,
    rotate,
    scaling_from_config,
)
from rowspace.layers.sinusoid import SinusoidLayout, SinusoidPosition, sinusoid_frequencies
from rowspace.layers.sinusoid_2d import SinusoidGrid
from rowspace.layers.tables import (
    AdaptiveEmbedding,
    FactorisedEmbedding,
    HashedEmbedding,
    MatryoshkaEmbedding,
    MaxNorm,
    QuantizedEmbedding,
    QuotientRemainderEmbedding,
    SegmentEmbedding,
    TokenEmbedding,
    UnitNorm,
    apply_constraints,
    constrain,
    lookup,
    segments_of,
    truncate,
)
from rowspace.layers.tying import check_tied

__all__ = [
    "CATALOGUE",
    "AdaptiveEmbedding",
    "Alibi",
    "AxialRotaryPosition",
    "Concatenation",
    "Cost",
    "Counting",
    "DynamicScaling",
    "FactorisedEmbedding",
    "GridPosition",
    "HashedEmbedding",
    "ImageEmbedding",
    "InputEmbedding",
    "LearnedPosition",
    "LinearScaling",
    "Llama3Scaling",
    "LongRopeScaling",
    "MatryoshkaEmbedding",
    "MaxNorm",
    "MultimodalRotaryPosition",
    "PatchCost",
    "PatchEmbedding",
    "PositionScheme",
    "PrefixTokens",
    "ProportionalScaling",
    "PublishedModel",
    "QuantizedEmbedding",
    "QuotientRemainderEmbedding",
    "RelativeBias",
    "RelativeScores",
    "RotaryLayout",
    "RotaryPosition",
    "RotaryScaling",
    "SegmentEmbedding",
    "SinusoidGrid",
    "SinusoidLayout",
    "SinusoidPosition",
    "TiedHead",
    "TokenEmbedding",
    "TrainingBytes",
    "UnitNorm",
    "UntiedHead",
    "YarnScaling",
    "albert",
    "alibi_slopes",
    "apply_constraints",
    "bert",
    "bloom",
    "check_tied",
    "clip_text",
    "clip_vision",
    "constrain",
    "cost",
    "cross_entropy",
    "deit",
    "dinov2",
    "distant_scores",
    "from_checkpoint",
    "from_config",
    "gemma",
    "gpt2",
    "grid_of",
    "grid_positions",
    "llama",
    "lookup",
    "mistral",
    "modernbert",
    "mpt",
    "opt",
    "pad_to_patches",
    "patch_cost",
    "permute_rotary",
    "positions_by_mask",
    "positions_by_place",
    "qwen",
    "relative_buckets",
    "relative_scores",
    "resample_patches",
    "resample_positions",
    "roberta",
    "rotary_frequencies",
    "rotary_from_config",
    "rotate",
    "scaling_from_config",
    "segments_of",
    "siglip_text",
    "siglip_vision",
    "sinusoid_frequencies",
    "t5",
    "transformer",
    "truncate",
    "unfold_patches",
    "vit",
]
