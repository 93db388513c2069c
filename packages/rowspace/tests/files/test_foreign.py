import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from rowspace.encode import Encoder
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.transformers_folder import INDEX, MODEL
from rowspace.layers import from_checkpoint
from rowspace.learn.distillation.teacher import open_teacher
from rowspace.store import load
from rowspace.text import open_tokenizer

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
GGUF = b"GGUF" + bytes([3, 0, 0, 0]) + bytes(100)
CONFIG = {"model_type": "llama", "vocab_size": 2, "hidden_size": 2, "num_attention_heads": 1}
ROWS = np.eye(2, dtype=np.float32)


def refuse(readers, path, complaint, error=FileFormatError):
    for read in readers:
        with pytest.raises(error, match=complaint) as raised:
            read(path)
        assert "\n" not in str(raised.value)


@pytest.fixture
def folder(tmp_path):
    """A folder of a model: config.json, and a tokenizer.json that is never reached."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer.json").write_text("{}")
    return folder


@pytest.mark.parametrize("content", [POINTER, GGUF])
def test_pointers_and_gguf_are_named_by_every_reader(tmp_path, folder, content):
    complaint = "git lfs pull" if content is POINTER else "GGUF file of llama.cpp.*gguf_file=NAME"
    for name in ("v.vec", "v.bin", "v.safetensors", "v.tsv", "v.npz", "v.gguf", "v.parquet", "tokenizer.json"):
        (tmp_path / name).write_bytes(content)
        refuse((load, Encoder.load), tmp_path / name, f"{name}: .*{complaint}")
    refuse((open_tokenizer,), tmp_path / "tokenizer.json", f"tokenizer.json: .*{complaint}")
    (folder / MODEL).write_bytes(content)
    refuse((load, from_checkpoint), folder, f"{MODEL}: .*{complaint}")
    save_file({"model.embed_tokens.weight": ROWS}, folder / MODEL)
    (folder / "tokenizer.json").write_bytes(content)
    refuse((load, open_teacher), folder, f"tokenizer.json: .*{complaint}")
    (folder / "config.json").write_bytes(content)
    refuse((from_checkpoint,), folder, f"config.json: .*{complaint}")


def test_words_of_other_formats_are_words(tmp_path):
    (tmp_path / "v.txt").write_text("GGUF 0.5 1.5\nversion 2.5 3.5\n<html> 1 2\n")
    assert load(tmp_path / "v.txt").vocabulary == ["GGUF", "version", "<html>"]


def test_unfinished_downloads_are_named(tmp_path, folder):
    for name in ("glove.txt.part", "model.safetensors.incomplete", "v.vec.crdownload"):
        (tmp_path / name).write_text("the 1 2\nof 3")
        refuse((load,), tmp_path / name, f"{name}: an unfinished download; finish it, or rename the file")
    refuse(
        (load,), tmp_path / "glove.txt", r"no file .*glove.txt'; check the path .*glove.txt.part is an un", UsageError
    )
    readers = (load, from_checkpoint)
    cache = folder / ".cache" / "huggingface" / "download"
    for unfinished in (folder / f"{MODEL}.part", cache / "hash.etag.incomplete"):
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(b"12")
        refuse(readers, folder, f"has no {MODEL} .*{unfinished.name} is an unfinished download: download it again")
        unfinished.unlink()
    (folder / INDEX).write_text(json.dumps({"weight_map": {"model.embed_tokens.weight": "model-1.safetensors"}}))
    refuse(readers, folder, "model-1.safetensors: missing; restore the file$")
    (cache / "hash.etag.incomplete").write_bytes(b"12")
    refuse(readers, folder, "model-1.safetensors: missing; restore the file .*etag.incomplete is an unfinished")


def test_unfinished_blob_of_a_snapshot_in_the_hub_cache_is_named(tmp_path):
    snapshot, blobs = tmp_path / "snapshots" / "0123abc", tmp_path / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (snapshot / "config.json").write_text('{"model_type": "llama"}')
    (blobs / "4a1f.incomplete").write_bytes(b"12")
    refuse((load, from_checkpoint), snapshot, "4a1f.incomplete is an unfinished download")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("model-00001-of-00002.safetensors", f"parts of a model .*, but no {INDEX}; download that file too"),
        ("consolidated.safetensors", "but consolidated.safetensors; name that file"),
        ("model-Q4_K_M.gguf", "but model-Q4_K_M.gguf; which is not read; open the model it was made from"),
    ],
)
def test_folder_with_other_weights_is_described_by_them(folder, name, complaint):
    (folder / name).write_bytes(b"12")
    refuse((load, from_checkpoint), folder, complaint)


def test_web_page_in_place_of_a_file_is_named(tmp_path):
    (tmp_path / "v.bin").write_text("<!DOCTYPE html>\n<html>")
    refuse((load,), tmp_path / "v.bin", "a web page; download the file itself")


def test_name_on_the_hub_is_told_from_a_path(tmp_path):
    readers = (load, Encoder.load, from_checkpoint, open_teacher, open_tokenizer)
    hint = "hf download some-org/some-model"
    refuse(readers, "some-org/some-model", hint, UsageError)
    for path in (str(tmp_path / "model"), "a/b/c", "./model", "model"):
        for read in readers:
            with pytest.raises(UsageError, match=r"^(?!.*hf download)"):
                read(path)
