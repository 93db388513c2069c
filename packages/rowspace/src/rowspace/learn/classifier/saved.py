"""The folder of a classifier: classifier.json and classifier.safetensors, and a folder for each model of vectors.

| file | contents |
|---|---|
| `classifier.json` | labels, options, what was chosen and why, and the settings of each model |
| `classifier.safetensors` | the arrays of each model, under its number |
| `vectors/` | a model on the vectors of a table, as `TextClassifier` saves it |
"""

import dataclasses
import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_folder, check_folder_target, check_not_interrupted
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import read_object, sealed, unsealed
from rowspace.files.tensors import read_checked
from rowspace.learn.classifier.choosing import Part
from rowspace.learn.classifier.members import Ngrams, SupervisedRows, Vectors
from rowspace.learn.classifier.ngrams.linear import BUCKETS, Columns, Kind, NgramModel
from rowspace.learn.classifier.options import ClassifierOptions, RowsOptions
from rowspace.learn.classifier.rows.dictionary import Dictionary
from rowspace.learn.classifier.rows.fasttext_file import read_model
from rowspace.learn.classifier.rows.features import some_buckets
from rowspace.learn.classifier.rows.kernels.features import NO_ROW, SKIPPED, Buckets
from rowspace.learn.classifier.rows.model import NEVER, SupervisedModel
from rowspace.learn.tuning.saved_classifier import CONTENTS, JSON, TENSORS

if TYPE_CHECKING:
    from rowspace.learn.tuning.classifier import TextClassifier

__all__ = ["check_target", "read_classifier", "write_classifier"]

VERSION = 3  # 1 and 2 are those of `TextClassifier`
VECTORS = "vectors"
REMEDY = "learn it again with rowspace classify fit"
Arrays = dict[str, NDArray[Any]]


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise what `write_classifier` would raise about the path itself."""
    ending = Path(path).suffix.lower()
    if ending in (".bin", ".ftz"):
        raise UsageError(
            f"{str(path)!r} is named as a file of fastText, but a folder would be saved; name a folder, or write the "
            "file with save_fasttext in Python, classify fit --method rows"
        )
    check_folder_target(path, marker=JSON, contents=(*CONTENTS, VECTORS))


def write_classifier(classifier: Any, path: str | os.PathLike[str]) -> None:
    """Write a classifier to a folder, atomically."""
    from safetensors.numpy import save_file

    check_target(path)
    arrays, parts = Arrays(), list[dict[str, Any]]()
    params = {field.name: getattr(classifier, field.name) for field in dataclasses.fields(ClassifierOptions)}
    with atomic_folder(path, marker=JSON, contents=(*CONTENTS, VECTORS)) as folder:
        for number, part in enumerate(classifier.parts_):
            settings, found = _written(part, folder)
            parts.append({"name": part.member.name, "curve": list(part.curve), "weight": part.weight} | settings)
            arrays |= {f"{number}.{name}": np.ascontiguousarray(array) for name, array in found.items()}
        save_file(arrays, folder / TENSORS)
        document = {
            "version": VERSION,
            "classes": classifier.classes_.tolist(),
            "labels": classifier.label_kind_,
            "options": params,
            "parts": parts,
            "chosen": classifier.chosen_,
            "facts": classifier.facts_,
            "weights": zlib.crc32((folder / TENSORS).read_bytes()),
        }
        (folder / JSON).write_text(json.dumps(sealed(document), indent=1), encoding="utf-8")


def read_classifier(classifier: Any, path: Path) -> None:
    """Fill an estimator with what a folder, or a file of fastText, holds."""
    if path.is_file():
        _of_fasttext(classifier, read_model(path), path)
        return
    if not (path / JSON).is_file():
        check_not_interrupted(path, "classifier")
        raise UsageError(f"there is no classifier in {str(path)!r}; learn one with rowspace classify fit")
    document = read_object(path / JSON, remedy=REMEDY)
    version = document.get("version")
    if version in range(1, VERSION):
        _of_text_classifier(classifier, _text_classifier(path))
        return
    if version != VERSION:
        raise FileFormatError(
            f"{path / JSON}: damaged, or of a later version of rowspace (version {version!r:.40}, this one reads up to "
            f"{VERSION}); upgrade with pip install -U rowspace, or {REMEDY}"
        )
    document = unsealed(document, str(path / JSON), remedy=REMEDY)
    arrays = read_checked(path / TENSORS, document.get("weights"), remedy=REMEDY)
    try:
        _fill(classifier, document, arrays, path)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path}: damaged ({reason_of(error)}); {REMEDY}") from None


def _fill(classifier: Any, document: dict[str, Any], arrays: Arrays, path: Path) -> None:
    options = ClassifierOptions(**document["options"])
    for field in dataclasses.fields(options):
        setattr(classifier, field.name, getattr(options, field.name))
    classes = np.array(document["classes"])
    if (
        classes.ndim != 1
        or classes.dtype.kind not in "Uib"
        or document["labels"] not in ("single", "several", "matrix")
    ):
        raise ValueError("labels of an unknown kind")
    parts = []
    for number, settings in enumerate(document["parts"]):
        own = {name.partition(".")[2]: array for name, array in arrays.items() if name.partition(".")[0] == str(number)}
        member = _READERS[settings["name"]](settings, own, path, len(classes))
        scale, offset = (float(value) for value in settings["curve"])
        parts.append(Part(member, (scale, offset), float(settings["weight"])))
    classifier.parts_, classifier.classes_, classifier.label_kind_ = parts, classes, document["labels"]
    classifier.chosen_, classifier.facts_ = str(document["chosen"]), dict(document["facts"])


def _of_text_classifier(classifier: Any, model: "TextClassifier") -> None:
    classifier.method, classifier.classes_, classifier.label_kind_ = "vectors", model.classes_, "single"
    classes = len(model.classes_)
    classifier.parts_ = [Part(Vectors(model, np.arange(classes), classes), (1.0, 0.0), 1.0)]
    classifier.facts_, classifier.chosen_ = model.facts_, f"vectors of the table ({model.kind}): the given method"


def _of_fasttext(classifier: Any, model: SupervisedModel, path: Path) -> None:
    order = np.argsort(np.array(model.labels))
    classifier.method, classifier.label_kind_ = "rows", "single" if _adds_up(model) else "several"
    classifier.classes_ = np.array(model.labels)[order]
    classifier.parts_ = [Part(SupervisedRows(model, order), (1.0, 0.0), 1.0)]
    for field in dataclasses.fields(RowsOptions):
        setattr(classifier, field.name, getattr(model.options, field.name))
    classifier.facts_, classifier.chosen_ = {"labels": len(order)}, f"rows of fastText's model {path.name}"


def _adds_up(model: SupervisedModel) -> bool:
    return model.options.loss != "one-vs-all"


def _written(part: Part, folder: Path) -> tuple[dict[str, Any], Arrays]:
    """Return the settings and the arrays of a model; one of vectors is written to a folder of its own."""
    member = part.member
    if isinstance(member, Ngrams):
        model, arrays = member.model, Arrays(weights=member.model.weights)
        for place, each in enumerate(model.columns):
            arrays |= {f"buckets.{place}": each.buckets, f"idf.{place}": each.weights}
        return {"kinds": [list(each.kind) for each in model.columns]}, arrays
    if isinstance(member, SupervisedRows):
        rows = member.model
        used = rows.buckets.keys >= 0
        arrays = Arrays(
            words=rows.dictionary.lookup.data,
            ends=rows.dictionary.lookup.ends,
            counts=rows.dictionary.counts,
            label_counts=rows.label_counts,
            inputs=rows.inputs,
            outputs=rows.outputs,
            buckets=rows.buckets.keys[used],
            bucket_rows=rows.buckets.rows[used],
            order=member.order,
        )
        settings = {"is_full": not len(rows.buckets.keys), "other": rows.buckets.other, "labels": list(rows.labels)}
        return settings | {"rows": dataclasses.asdict(rows.options)}, arrays
    if member.model is not None:  # always, since there are two labels
        member.model.save(folder / VECTORS)
    return {}, {}


def _read_ngrams(settings: dict[str, Any], arrays: Arrays, _: Path, labels: int) -> Ngrams:
    columns = []
    for place, kind in enumerate(settings["kinds"]):
        buckets, weights = arrays[f"buckets.{place}"], arrays[f"idf.{place}"]
        _check(buckets.dtype == np.int32 and weights.dtype == np.float32 and buckets.shape == weights.shape)
        _check(not len(buckets) or (buckets[0] >= 0 and buckets[-1] < BUCKETS and (np.diff(buckets) > 0).all()))
        words, characters = kind
        _check(0 <= words <= 100 and 0 <= characters <= 100 and words + characters > 0)
        columns.append(Columns(Kind(words, characters), buckets, weights))
    found = arrays["weights"]
    _check(found.dtype == np.float32 and found.shape == (sum(len(each.buckets) for each in columns) + 1, labels))
    return Ngrams(NgramModel(columns, found))


def _read_rows(settings: dict[str, Any], arrays: Arrays, _: Path, labels: int) -> SupervisedRows:
    options, inputs, outputs = RowsOptions(**settings["rows"]), arrays["inputs"], arrays["outputs"]
    ends, counts, order = arrays["ends"], arrays["counts"], arrays["order"]
    begins = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    _check(ends.dtype == np.int64 and counts.shape == ends.shape and (begins <= ends).all())
    _check(arrays["words"].dtype == np.uint8 and ends.max(initial=0) <= len(arrays["words"]))
    _check(inputs.dtype == outputs.dtype == np.float32 and inputs.ndim == outputs.ndim == 2)
    _check(inputs.shape[1] == outputs.shape[1] == options.dim and len(inputs) >= len(ends))
    _check(len(outputs) == (max(1, labels - 1) if options.loss == "hierarchical" else labels))
    _check(sorted(order.tolist()) == list(range(labels)) and len(settings["labels"]) == labels)
    label_counts = arrays["label_counts"]
    _check(label_counts.shape == (labels,) and 0 <= label_counts.min() <= label_counts.max() < NEVER // labels)
    dictionary = Dictionary.of_words(arrays["words"], begins, ends, counts)
    model = SupervisedModel(
        dictionary,
        [str(label) for label in settings["labels"]],
        arrays["label_counts"],
        inputs,
        outputs,
        _read_buckets(settings, arrays, options, len(inputs), len(ends)),
        options,
    )
    return SupervisedRows(model, order)


def _read_buckets(settings: dict[str, Any], arrays: Arrays, options: RowsOptions, rows: int, words: int) -> Buckets:
    known, places = arrays["buckets"], arrays["bucket_rows"]
    other = int(settings["other"])
    _check(other in (NO_ROW, SKIPPED) and known.dtype == places.dtype == np.int32 and known.shape == places.shape)
    if settings["is_full"]:
        _check(rows >= words + (options.buckets if options.max_n > 0 or options.word_ngrams > 1 else 0))
        return Buckets(np.zeros(0, np.int32), np.zeros(0, np.int32), words, other)
    _check(not len(known) or (known.min() >= 0 and places.min() >= 0 and places.max() < rows))
    return some_buckets(known, places, words, other)


def _read_vectors(_: dict[str, Any], __: Arrays, path: Path, labels: int) -> Vectors:
    model = _text_classifier(path / VECTORS)
    places = model.classes_
    _check(places.dtype.kind == "i" and len(set(places.tolist())) == len(places))
    _check(0 <= places.min() <= places.max() < labels)
    return Vectors(model, places, labels)


def _text_classifier(path: Path) -> "TextClassifier":
    from rowspace.learn.tuning.classifier import TextClassifier

    return TextClassifier.load(path)


def _check(is_right: object) -> None:
    if not is_right:
        raise ValueError("its arrays do not fit each other")


_READERS: dict[str, Any] = {"ngrams": _read_ngrams, "rows": _read_rows, "vectors": _read_vectors}
