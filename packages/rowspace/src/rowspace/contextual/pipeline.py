"""What the folder of a sentence encoder says of itself: its modules, its pooling, its prompts and how much it reads.

Source: sentence-transformers 6; a folder without its files is that of a transformer, with the mean as its pooling.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.foreign import hub_hint
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.strict_json import read_object
from rowspace.files.transformers_folder import CONFIG, SentenceTransformersConfig, TransformersFolder

__all__ = ["POOLINGS", "Pipeline", "is_contextual", "read_modules", "read_pipeline"]

MODULES = "modules.json"
# Names of sentence-transformers' Pooling: those of its flags before version 5.5, and those of `pooling_mode` since.
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "mean": "mean",
    "pooling_mode_cls_token": "first",
    "cls": "first",
    "pooling_mode_lasttoken": "last",
    "lasttoken": "last",
    "pooling_mode_max_tokens": "max",
    "max": "max",
}
"""Our name of each pooling that can be computed."""


@dataclass(frozen=True)
class Pipeline:
    """The steps from a text to its vector.

    Attributes:
        transformer: The folder of the model of transformers.
        pooling: "mean", "first", "last" or "max".
        later: The kind, "Dense" or "Normalize", and the folder of each module after the pooling.
        prompts: What is written before texts, by the name of the purpose, such as "query".
        default_prompt: What is written before a text without a purpose.
        max_length: The number of ids after which texts are cut, if the folder says so.
        lower: Whether texts are changed to lower case first.
        truncate_dim: The number of columns that vectors have, if the folder cuts them.
    """

    transformer: Path
    pooling: str = "mean"
    later: tuple[tuple[str, Path], ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    default_prompt: str = ""
    max_length: int | None = None
    lower: bool = False
    truncate_dim: int | None = None

    @property
    def normalizes(self) -> bool:
        """Whether a module scales vectors to length 1."""
        return any(kind == "Normalize" for kind, _ in self.later)

    def prompt(self, *purposes: str) -> str:
        """Return the prompt of the first of the purposes that has one, else the default one."""
        prompts = dict(self.prompts)
        return next((prompts[purpose] for purpose in purposes if prompts.get(purpose)), self.default_prompt)


def is_contextual(folder: Path) -> bool:
    """Whether a folder holds a model that decides the vector of a token by its context.

    Raises:
        FileFormatError: A file of the folder is damaged.
    """
    if (folder / MODULES).is_file():
        return [kind for kind, _ in read_modules(folder)][:1] == ["Transformer"]
    found = TransformersFolder(folder)
    return found.has_weights and found.is_contextual


def read_pipeline(folder: Path, pooling: str | None = None, *, with_dense: bool = False) -> Pipeline:
    """Return the steps of the model in a folder.

    Args:
        folder: The folder, of sentence-transformers or transformers.
        pooling: Use this pooling, and ignore what the folder says about pooling and later modules, but for Normalize.
        with_dense: Accept modules of kind Dense.

    Raises:
        UsageError: There is no model of transformers in the folder.
        FileFormatError: A file is damaged, or the model has other modules or another pooling.
    """
    if not folder.is_dir():
        name = str(folder)
        raise UsageError(
            f"model must be the folder of a model, but there is no folder {name!r}; check the path{hub_hint(name)}"
        )
    found = _pipeline(folder, pooling, with_dense)
    if not (found.transformer / CONFIG).exists():
        raise UsageError(f"{str(folder)!r} has no {CONFIG}, so it is not a model of transformers; check the path")
    return found


def _pipeline(folder: Path, pooling: str | None, with_dense: bool) -> Pipeline:
    source = resolve_inside(folder, MODULES)
    if not source.exists():
        return Pipeline(folder, pooling or "mean")
    modules = read_modules(folder)
    if [kind for kind, _ in modules][:1] != ["Transformer"]:
        raise FileFormatError(f"{source}: the first module is not a Transformer; name the folder of an encoder")
    computed = ("Pooling", "Normalize", "Dropout", *(("Dense",) if with_dense else ()))
    others = [kind for kind, _ in modules[1:] if kind not in computed]
    if others and pooling is None:
        raise FileFormatError(
            f"{source}: the modules {join_names(others)} cannot be computed; rowspace distill --pooling mean takes the "
            "transformer without them"
        )
    places = [path for kind, path in modules if kind == "Pooling"]
    own = pooling or (_pooling_of(resolve_inside(places[0], CONFIG)) if places else "mean")
    later = tuple(module for module in modules[1:] if module[0] in {*computed[1:]} - {"Dropout"})
    config = SentenceTransformersConfig.read(folder)
    source = resolve_inside(modules[0][1], "sentence_bert_config.json")
    reading = read_object(source) if source.exists() else {}
    longest = reading.get("max_seq_length")
    return Pipeline(
        modules[0][1],
        own,
        later,
        max_length=longest if type(longest) is int and longest > 0 else None,
        lower=reading.get("do_lower_case") is True,
        **config._asdict(),
    )


def read_modules(folder: Path) -> list[tuple[str, Path]]:
    """Return the kind and the folder of each module that modules.json names.

    Raises:
        FileFormatError: The file is missing or damaged.
    """
    source = resolve_inside(folder, MODULES)
    with open_regular(source) as file:
        data = file.read(1 << 20)
    try:
        found = [(str(module["type"]).rpartition(".")[2], str(module["path"])) for module in json.loads(data)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileFormatError(f"{source}: is not a list of modules with a type and a path; restore the file") from None
    return [(kind, folder if name in ("", ".") else resolve_inside(folder, name)) for kind, name in found]


def _pooling_of(source: Path) -> str:
    """Return our name of the pooling in the config.json of a Pooling module."""
    config = read_object(source)
    found = config.get("pooling_mode") or [
        name for name, value in config.items() if name.startswith("pooling_mode_") and value is True
    ]
    names = [found] if isinstance(found, str) else list(found)
    if len(names) != 1 or names[0] not in POOLINGS:
        raise FileFormatError(
            f"{source}: pooling {join_names(names) if names else 'of no kind'} cannot be computed; rowspace distill "
            "--pooling mean, first, last or max takes the transformer with another one"
        )
    return POOLINGS[names[0]]
