"""Small indexes, classifiers, runs and folders to resume, which `damage.py` damages, and all that can be read of them.

What is opened of a damaged one must equal what was saved: see `Reader.content`.
"""

import hashlib
import json
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import lance  # imported once, not in each child
import numpy as np
import torch._dynamo  # noqa: F401  # likewise
from pyarrow import parquet
from tests.search.samples import FILES, contents, write_files

import rowspace as rs
from rowspace.encode import Encoder, StreamOptions
from rowspace.encode.stream import encode_to
from rowspace.errors import EncodingInterrupted, FitInterrupted
from rowspace.learn import Reports
from rowspace.learn.classifier.classifier import Classifier
from rowspace.learn.tuning.classifier import TextClassifier
from rowspace.search import BridgeOptions, Index, IndexOptions
from rowspace.search.ranking.search import score_passages
from rowspace.search.storage.words import with_parts
from rowspace.table import Table
from rowspace.text import whitespace_json

__all__ = ["STATES", "States", "digest"]

QUERIES = ("tulips water", "install the package", "header")
WORDS = ("the", "cat", "sat", "dog", "a", "mat")
TEXTS = [" ".join(WORDS[(number >> shift) % 6] for shift in range(4)) for number in range(40)]
OTHER = "\n\n".join(f"{text} tulips {number} water " * 4 for number, text in enumerate(TEXTS))
SENTENCES = [" ".join(topic.split()[:60]) for topic in list(topics.values())[:5]]
FIT = {"dim": 6, "epochs": 2, "min_count": 3, "workers": 1, "seed": 0}


def small_encoder(seed: int = 0) -> Encoder:
    """Return an encoder of WORDS."""
    rows = np.random.default_rng(seed).standard_normal((len(WORDS), 6)).astype(np.float32)
    return Encoder(Table(WORDS, rows, tokenizer=whitespace_json(WORDS)), workers=1)


def index_encoder(seed: int = 0) -> Encoder:
    """Return an encoder of the words of the indexed files."""
    words = ["[UNK]", *sorted(set(" ".join(FILES.values()).split()))]
    rows = np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32)
    return Encoder(Table(words, rows, tokenizer=whitespace_json(words)), workers=1)


def index(folder: Path, *, is_bridged: bool = False) -> Path:
    """Write an index that was updated, so that it has rows that were removed; perhaps with a bridge."""
    files = write_files(folder.parent / "files", FILES | {"other.txt": OTHER})
    made = Index.build(files, index_encoder(), folder / "index", options=IndexOptions(max_chars=100))
    (files / "garden.txt").write_text("Roses need little water.\n\nTulips too.\n")
    made.update()
    if is_bridged:
        made.build_bridge(index_encoder(1), options=BridgeOptions(kind="linear"))
    return folder / "index"


def record_index(folder: Path) -> Path:
    """Write an index of records that was updated."""
    records = [{"id": name, "text": text, "size": len(text), "kind": name[-2:]} for name, text in FILES.items()]
    made = Index.build_records(records, index_encoder(), folder / "index", options=IndexOptions(max_chars=100))
    made.update_records([{"id": "garden.txt", "text": "Roses need little water.", "size": 2.5}])
    return folder / "index"


def read_index(path: Path, *, seed: int = 0) -> object:
    """Return every row, the settings, and the passages and scores that the indexes of the dataset find.

    Weights of scores are not part of the format, so the order of passages by several scores is left out.
    """
    found = Index.open(path, index_encoder(seed))
    rows = contents(found)
    keys = [(row["path"], row["chunk"]) for row in rows]
    answers = [
        (
            [(hit.path, hit.text, hit.name, hit.first_line, hit.score) for hit in found.search(query, mode="dense")],
            sorted((hit.path, hit.chunk) for hit in found.search(query, k=len(rows), mode="lexical")),
            sorted(score_passages(found._store, with_parts(query), keys).items()),
        )
        for query in QUERIES
    ]
    return rows, str(found.settings), found.names(), found.files(), answers


def classifier(folder: Path) -> Path:
    """Write a classifier of three labels."""
    labels = [("x", "y", "z")[number % 3] for number in range(len(TEXTS))]
    TextClassifier(small_encoder()).fit(TEXTS, labels).save(folder / "c")
    return folder / "c"


def read_classifier(path: Path) -> object:
    """Return the labels, the facts and the probabilities."""
    found = TextClassifier.load(path)
    return found.classes_.tolist(), found.facts_, str(found.get_params()), found.predict_proba(TEXTS).tolist()


def chosen_classifier(folder: Path) -> Path:
    """Write a classifier of rows and n-grams, chosen by held-out texts."""
    labels = [("x", "y", "z")[number % 3] for number in range(len(TEXTS))]
    options: dict[str, Any] = {"dim": 3, "epochs": 2, "buckets": 100, "workers": 1}
    found = Classifier(**options).fit(TEXTS, labels)
    found.parts_ = [
        found.parts_[0]._replace(weight=0.5),
        *Classifier(method="rows", **options).fit(TEXTS, labels).parts_,
    ]
    found.save(folder / "c")
    return folder / "c"


def read_chosen_classifier(path: Path) -> object:
    """Return the labels, the facts and the probabilities."""
    found = Classifier.load(path)
    return found.classes_.tolist(), str(found.facts_), found.chosen_, found.predict_proba(TEXTS).tolist()


def fit(folder: Path) -> Path:
    """Write a fit that was interrupted."""
    sent = []

    def stop(progress: Any) -> None:
        if progress.words and not sent:  # only once: a second signal aborts the fit immediately
            sent.append(True)
            signal.raise_signal(signal.SIGTERM)

    try:
        rs.fit(SENTENCES, output=folder / "t", reports=Reports(on_progress=stop), **FIT)
    except FitInterrupted:
        return folder / "t"
    raise AssertionError("the fit ended before it was interrupted")


def read_fit(path: Path) -> object:
    """Return the table that the rest of the fit learns."""
    made = rs.fit(output=path, resume=True)
    return list(made.vocabulary), made.rows.tolist(), None if made.counts is None else made.counts.tolist()


def encoding(folder: Path, *, name: str) -> Path:
    """Write an encoding to a file that was interrupted after some batches."""
    encoder = small_encoder()
    encoder.texts_at_once = 8

    def stop(progress: Any) -> None:
        if progress.texts >= 24:
            raise KeyboardInterrupt

    options = StreamOptions(seconds_between_saves=0.0)
    try:
        encode_to(encoder, iter(TEXTS), folder / name, options=options, on_progress=stop)
    except EncodingInterrupted:
        return folder / name
    raise AssertionError("the encoding ended before it was interrupted")


def read_encoding(path: Path) -> object:
    """Return the output of the resumed encoding."""
    encode_to(small_encoder(), iter(TEXTS), path, resume=True)
    if path.suffix == ".npy":
        return np.load(path).tolist()
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pylist()
    return lance.dataset(path).to_table().to_pylist()


def digest(found: object) -> str:
    """Return a hash of what was read."""
    return hashlib.sha256(json.dumps(found, default=str, sort_keys=True).encode()).hexdigest()


States = dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]]

STATES: States = {
    "index": (index, read_index),
    "index-records": (record_index, read_index),
    "index-bridge": (partial(index, is_bridged=True), partial(read_index, seed=1)),
    "classifier": (classifier, read_classifier),
    "classifier-chosen": (chosen_classifier, read_chosen_classifier),
    "fit-folder": (fit, read_fit),
} | {
    f"encode-folder-{kind}": (partial(encoding, name=f"v.{kind}"), read_encoding)
    for kind in ("npy", "parquet", "lance")
}
"""By name, a function that writes a sample to an empty folder, and one that returns all that can be read of it."""
