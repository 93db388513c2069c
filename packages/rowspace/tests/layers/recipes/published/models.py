"""A small random model of any model type, and inputs that it may accept: `small_model`."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import transformers as tf
from tests.layers.recipes.published.recorded import Recording, recorded
from tests.layers.recipes.published.small import CHANGES, SIZES, small_arguments
from torch import Tensor
from transformers.models.auto import modeling_auto

__all__ = ["NotRun", "SmallModel", "inputs_for", "small_model", "small_models"]

LARGEST = 90_000_000  # parameters
AUTOS = {
    tf.AutoModel: modeling_auto.MODEL_MAPPING_NAMES,
    tf.AutoModelForCausalLM: modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    tf.AutoModelForImageTextToText: modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    tf.AutoModelForSeq2SeqLM: modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
}


class NotRun(Exception):
    """No small model of this type could be made and run."""


class SmallModel(NamedTuple):
    """A model with random weights, the inputs it accepts, and what its first block receives."""

    model: Any
    modality: str
    inputs: dict[str, Tensor]
    recording: Recording


def small_model(kind: str, **changes: Any) -> SmallModel:
    """The first of several sizes that the classes of a type accept, and whose model runs."""
    problems: list[str] = []
    for model in small_models(kind, _maker(kind), problems, **changes):
        for modality, inputs in inputs_for(model.config):
            recording = recorded(model, inputs)
            if recording.first_blocks:
                return SmallModel(model, modality, inputs, recording)
            problems.append(recording.problem)
    problem = next(filter(None, problems), "").strip()
    raise NotRun(problem.splitlines()[0][:150] if problem else "no block of a list of modules is called")


def small_models(kind: str, make: Any, problems: list[str] | None = None, **changes: Any) -> Iterator[Any]:
    """Models of a type that `make` builds of its configs, of the sizes that its classes accept."""
    config_class = tf.CONFIG_MAPPING[kind]
    for sizes in SIZES:
        arguments = {**small_arguments(config_class, sizes), **(CHANGES.get(kind, {}) if sizes else {}), **changes}
        try:
            yield _random(make, config_class, arguments)
        except Exception as error:  # any class raises what it likes
            if problems is not None:
                problems.append(f"{type(error).__name__}: {error}")


def _maker(kind: str) -> Any:
    """What makes a model of a config: an auto class, or the class of a part of another model."""
    auto = next((auto for auto, names in AUTOS.items() if kind in names), None)
    if auto is not None:
        return auto.from_config
    config_class = tf.CONFIG_MAPPING[kind]
    try:
        modeling = importlib.import_module(config_class.__module__.replace(".configuration_", ".modeling_"))
    except ImportError:
        raise NotRun("it has no model of its own") from None
    for name, value in vars(modeling).items():
        is_model = inspect.isclass(value) and issubclass(value, tf.PreTrainedModel) and "PreTrained" not in name
        if is_model and getattr(value, "config_class", None) is config_class:
            return value
    raise NotRun("it has no model of its own")


def _random(make: Any, config_class: Any, arguments: dict[str, Any]) -> Any:
    """A model without weights that are all zero or one, which would hide differences."""
    with torch.device("meta"):
        try:
            count = sum(parameter.numel() for parameter in make(config_class(**arguments)).parameters())
        except (NotImplementedError, RuntimeError):  # some classes read a weight when they are built
            count = 0
    if count > LARGEST:
        raise NotRun(f"{count:,} parameters")
    torch.manual_seed(0)
    model = make(config_class(**arguments)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point() and (parameter.numel() == 0 or parameter.min() == parameter.max()):
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def inputs_for(config: Any) -> Iterator[tuple[str, dict[str, Tensor]]]:
    """Inputs that a model may accept, with their modality; the first that runs is used."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 90, (2, 9), generator=generator)
    padding = getattr(config, "pad_token_id", None)
    if isinstance(padding, int) and 0 <= padding < 90:
        yield "text", {"input_ids": torch.cat((ids[:, :7], torch.tensor([[int(ids[0, 7])] * 2, [padding] * 2])), dim=1)}
    yield "text", {"input_ids": ids}
    for extra in ({"use_cache": False}, {"decoder_input_ids": ids}, {"bbox": torch.zeros(2, 9, 4, dtype=torch.long)}):
        yield "text", {"input_ids": ids, **extra}
    yield "text", {"decoder_input_ids": ids}
    height, width, channels = _image_size(config)
    images = torch.randn(2, channels, height, width, generator=generator)
    yield "vision", {"pixel_values": images}
    frames = _first(config, "num_frames", "frames_per_clip") or 4
    videos = torch.randn(1, frames, channels, height, width, generator=generator)
    yield "vision", {"pixel_values": videos}
    yield "vision", {"pixel_values_videos": videos}
    yield from (("audio", each) for each in _audio(config, generator))
    yield "both", {"input_ids": ids, "pixel_values": images}


def _audio(config: Any, generator: torch.Generator) -> Iterator[dict[str, Tensor]]:
    bins = _first(config, "num_mel_bins", "input_feat_per_channel", "input_dim", "feature_projection_input_dim")
    bins = bins if isinstance(bins, int) else 80
    frames = _first(config, "max_length", "max_source_positions") or 100
    for name, shape in (
        ("input_features", (2, bins, 3000)),
        ("input_features", (2, 200, bins)),
        ("input_values", (2, 4000)),
        ("input_values", (2, frames, bins)),
        ("input_values", (2, 1, 8000)),
        ("input_features", (2, bins, 200)),
    ):
        yield {name: torch.randn(shape, generator=generator)}


def _image_size(config: Any) -> tuple[int, int, int]:
    size = _first(config, "image_size", "input_size", "spatial_size") or 224
    size = tuple(size.values())[:2] if isinstance(size, dict) else size
    height, width = (size, size) if isinstance(size, int) else tuple(size)[:2]
    channels = _first(config, "num_channels", "in_channels", "in_chans") or 3
    return height, width, channels if isinstance(channels, int) else 3


def _first(config: Any, *names: str) -> Any:
    """The first of these entries in a config or its parts."""
    todo = [config]
    while todo:
        config = todo.pop(0)
        for name in names:
            value = getattr(config, name, None)
            if value is not None and not isinstance(value, bool):
                return value
        todo += [value for value in vars(config).values() if isinstance(value, tf.PreTrainedConfig)]
    return None
