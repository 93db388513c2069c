"""Small valid files for each reader, which `damage.py` damages, and functions that use the opened objects."""

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.saved_states import STATES, digest
from tests.store.cases import CASES, Case, table_of, tokenizer_of

from rowspace import space, store
from rowspace.layers import recipes
from rowspace.learn.classifier.options import RowsOptions
from rowspace.learn.classifier.rows.fasttext_file import read_model, write_model
from rowspace.learn.classifier.rows.learning import Targets, learn_rows
from rowspace.table import Table
from rowspace.text import open_tokenizer

__all__ = ["READERS", "Reader"]

TEXT = "the cat sat on the mat and the dog ate the cats dinner né 한국어 "


class Reader:
    """Functions to write a sample to an empty folder, and to open and use it; the latter returns its size in memory.

    `content`, if given, opens it instead, and returns a hash that must be that of the undamaged sample.
    """

    def __init__(
        self,
        make: Callable[[Path], Path],
        use: Callable[[Path], int] = lambda _: 0,
        content: Callable[[Path], str] | None = None,
    ) -> None:
        self.make, self.use, self.content = make, use, content


def use_table(path: Path) -> int:
    """Open a table and access all of its parts."""
    table = store.load(path)
    size = table.rows.nbytes + sum(map(len, table.vocabulary))
    np.isfinite(table.rows).all()
    _ = table.counts is None or table.counts.sum()
    _ = table.tokenizer
    if table.subwords is not None:
        table.subwords.row("unseen")
        size += table.subwords.rows.nbytes
    if len(table):
        table.id(table.vocabulary[-1])
    return size


def use_classifier(path: Path) -> int:
    """Open a supervised model of fastText, and predict the labels of texts."""
    model = read_model(path)
    model.predict([TEXT, "", "b c"], k=2)
    return model.inputs.nbytes + model.outputs.nbytes


def supervised(folder: Path) -> Path:
    """Write a supervised model in fastText's format."""
    options = RowsOptions(dim=3, epochs=1, min_n=2, max_n=3, buckets=50, loss="hierarchical", workers=1)
    model = learn_rows(["a b", "b c", "c"], Targets.single(np.arange(3)), ["x", "y", "z"], options)
    write_model(model, folder / "m.bin")
    return folder / "m.bin"


def use_tokenizer(path: Path) -> int:
    """Open a tokenizer and encode a text."""
    tokenizer = open_tokenizer(path, pattern="gpt2" if path.suffix == ".tiktoken" else None)
    for number in tokenizer.encode(TEXT).tolist():
        tokenizer.token(number)
    return sum(map(len, tokenizer.vocabulary))


def use_model(path: Path) -> int:
    """Open the input embedding of a model."""
    return sum(weight.nbytes for weight in recipes.from_checkpoint(path).parameters())


def checkpoint(folder: Path) -> Path:
    """Write a sharded BERT checkpoint."""
    names = ("word", "position", "token_type")
    sizes = {"word": 3, "position": 8, "token_type": 2}
    weights = {f"embeddings.{name}_embeddings.weight": np.ones((sizes[name], 4), np.float32) for name in names}
    weights |= {
        "embeddings.LayerNorm.weight": np.ones(4, np.float32),
        "embeddings.LayerNorm.bias": np.ones(4, np.float32),
    }
    from safetensors.numpy import save_file

    save_file(weights, folder / "model-1.safetensors")
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, "model-1.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    config = {
        "model_type": "bert",
        "vocab_size": 3,
        "hidden_size": 4,
        "max_position_embeddings": 8,
        "type_vocab_size": 2,
    }
    (folder / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 1e-12, "num_attention_heads": 2}))
    (folder / "tokenizer.json").write_text(tokenizer_of(["[UNK]", "cat", "dog"]))
    return folder


def pruned(folder: Path) -> Path:
    """Write a small quantized fastText model with pruned n-grams."""
    import struct

    start = struct.pack("<2i12id", 793712314, 12, 4, 5, 5, 1, 5, 1, 2, 2, 50, 2, 4, 100, 1e-4)
    words = struct.pack("<3i2q", 2, 2, 0, 1, 2) + b"".join(
        word + struct.pack("<xqb", 1, 0) for word in (b"cat", b"dog")
    )
    codes = struct.pack("<4i??2qi", 3, 0, 7, 1, True, True, 4, 4, 8) + bytes(range(8))
    centroids = struct.pack("<4i", 4, 2, 2, 2) + np.arange(1024, dtype="<f4").tobytes()
    lengths = bytes(4) + struct.pack("<4i", 1, 1, 1, 1) + np.arange(256, dtype="<f4").tobytes()
    path = folder / "m.ftz"
    path.write_bytes(start + words + codes + centroids + lengths + struct.pack("<?2q", False, 2, 4) + bytes(32))
    return path


def packed(name: str, suffix: str) -> Callable[[Path], Path]:
    """Return a function that writes a table in a .gz or .zip file."""

    def make(folder: Path) -> Path:
        table = Table(["cat", "dog", "né"], np.arange(12, dtype=np.float32).reshape(3, 4) + 0.5)
        store.save(table, folder / name, format="glove" if name.endswith(".txt") else None)
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        path = folder / f"{name}{suffix}"
        if suffix == ".gz":
            path.write_bytes(gzip.compress(content))
        else:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(name, content)
            path.write_bytes(buffer.getvalue())
        return path

    return make


def compressed_npz(folder: Path) -> Path:
    """Write compressed arrays with numpy."""
    path = folder / "t.npz"
    np.savez_compressed(path, vectors=np.eye(3, dtype=np.float32), words=np.array(["cat", "dog", "né"]))
    return path


def wide_parquet(folder: Path) -> Path:
    """Write a compressed Parquet file with one column per dimension."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {"0": [1.0, 2.0, 3.0], "1": [4.0, 5.0, 6.0], "word": ["cat", "dog", "né"], "count": [1, 2, 3]}
    parquet.write_table(pa.table(columns), folder / "t.parquet", compression="zstd", row_group_size=2)
    return folder / "t.parquet"


def compressed_arrow(folder: Path) -> Path:
    """Write compressed lists, as pandas does, next to an unrelated column."""
    import pyarrow as pa
    from pyarrow import feather

    columns = {"note": ["a", "b", "c"], "word": ["cat", "dog", "né"], "row": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
    feather.write_feather(pa.table(columns), folder / "t.feather", compression="lz4", chunksize=2)
    return folder / "t.feather"


def sentencepiece(kind: str) -> Callable[[Path], Path]:
    """Return a function that trains and writes a SentencePiece model."""

    def make(folder: Path) -> Path:
        import sentencepiece as library

        model = io.BytesIO()
        library.SentencePieceTrainer.train(
            sentence_iterator=iter([TEXT] * 50), model_writer=model, model_type=kind, vocab_size=25, minloglevel=2
        )
        (folder / "t.model").write_bytes(model.getvalue())
        return folder / "t.model"

    return make


def tokenizer_json(kind: str) -> Callable[[Path], Path]:
    """Return a function that writes a tokenizer.json of this kind."""

    def make(folder: Path) -> Path:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        model = getattr(models, kind)()
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel() if kind == "BPE" else pre_tokenizers.Whitespace()
        trainer = getattr(trainers, f"{'Bpe' if kind == 'BPE' else kind}Trainer")(
            vocab_size=60, show_progress=False, special_tokens=["[UNK]"]
        )
        tokenizer.train_from_iterator([TEXT] * 20, trainer)
        tokenizer.save(str(folder / "tokenizer.json"))
        return folder

    return make


def ranks(folder: Path) -> Path:
    """Write a tiktoken rank file."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"th", b"the", b" cat"]
    lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    (folder / "t.tiktoken").write_bytes(b"".join(lines))
    return folder / "t.tiktoken"


def bert_vocabulary(folder: Path) -> Path:
    """Write a vocab.txt with its settings."""
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    (folder / "added_tokens.json").write_text(json.dumps({"<extra>": 8}))
    return folder


def gpt2_vocabulary(folder: Path) -> Path:
    """Write a vocab.json with its merges.txt."""
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator([TEXT] * 5, vocab_size=270, show_progress=False)
    tokenizer.save_model(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "GPT2Tokenizer"}))
    return folder


def saved(case: Case) -> Callable[[Path], Path]:
    """Return a function that saves the table of a case to a folder."""
    return lambda folder: case.save(table_of(case), folder)


def quantized(kind: space.Quantization) -> Callable[[Path], Path]:
    """Return a function that writes quantized rows."""

    def make(folder: Path) -> Path:
        table = table_of(CASES[0])
        store.save_quantized(table, space.quantize(table.rows, kind), folder / "t")
        return folder / "t"

    return make


def readers() -> Iterator[tuple[str, Reader]]:
    """Yield every reader with its name."""
    for case in CASES:
        yield case.label, Reader(saved(case), use_table)
    yield "fasttext-pruned", Reader(pruned, use_table)
    yield "fasttext-supervised", Reader(supervised, use_classifier)
    yield "npz-compressed", Reader(compressed_npz, use_table)
    yield "parquet-wide", Reader(wide_parquet, use_table)
    yield "arrow-compressed", Reader(compressed_arrow, use_table)
    yield "transformers", Reader(checkpoint, use_table)
    for name, suffix in (("v.vec", ".gz"), ("v.bin", ".gz"), ("v.txt", ".gz"), ("v.txt", ".zip")):
        yield name + suffix, Reader(packed(name, suffix), use_table)
    for kind in space.QUANTIZATIONS:
        yield f"quantized-{kind}", Reader(quantized(kind), use_table)
    yield "checkpoint-folder", Reader(checkpoint, use_model)
    for kind in ("WordLevel", "WordPiece", "BPE", "Unigram"):
        yield f"tokenizer.json-{kind}", Reader(tokenizer_json(kind), use_tokenizer)
    for kind in ("unigram", "bpe"):
        yield f"sentencepiece-{kind}", Reader(sentencepiece(kind), use_tokenizer)
    yield "tiktoken", Reader(ranks, use_tokenizer)
    yield "vocab.txt", Reader(bert_vocabulary, use_tokenizer)
    yield "vocab.json", Reader(gpt2_vocabulary, use_tokenizer)
    yield from of_states(STATES).items()


def of_states(states: dict[str, Any]) -> dict[str, Reader]:
    """Return the reader of each state: a function that writes a sample, and one that reads all of it."""
    return {
        name: Reader(make, content=lambda path, read=read: digest(read(path))) for name, (make, read) in states.items()
    }


READERS = dict(readers())
