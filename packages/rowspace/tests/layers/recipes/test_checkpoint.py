import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import save_file

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers.recipes.checkpoint import Checkpoint


@pytest.fixture
def folder(tmp_path):
    """A checkpoint of one file: a table, a vector, a number, an empty tensor."""
    tensors = {
        "model.embed_tokens.weight": torch.randn(50, 3).bfloat16(),
        "norm": torch.randn(7, dtype=torch.float64),
        "scale": torch.tensor(2.5),
        "empty": torch.zeros(0, 4),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    return tmp_path, tensors


def shard(folder, files):
    """Write an index, tensor → file name, next to the config in `folder`."""
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))


def test_config_and_names(folder):
    path, tensors = folder
    checkpoint = Checkpoint(str(path))
    assert checkpoint.config == {"model_type": "llama"}
    assert checkpoint.names == sorted(tensors)


@pytest.mark.parametrize("at_once", [1, 6, 7, 100, 1 << 20])
def test_every_tensor_is_read_unchanged(folder, at_once):
    path, tensors = folder
    checkpoint = Checkpoint(path, read_at_once=at_once)
    for name, expected in tensors.items():
        actual = checkpoint.read(name)
        assert actual.dtype == expected.dtype
        assert torch.equal(actual, expected)


def test_shards(folder):
    path, _ = folder
    save_file({"a": torch.ones(2)}, path / "model-00001-of-00002.safetensors")
    save_file({"b": torch.zeros(3)}, path / "model-00002-of-00002.safetensors")
    shard(path, {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"})
    assert torch.equal(Checkpoint(path).read("b"), torch.zeros(3))


def test_tensors_are_copies(folder):
    path, tensors = folder
    rows = Checkpoint(path).read("model.embed_tokens.weight")
    with (path / "model.safetensors").open("r+b") as file:
        file.seek(-600, 2)
        file.write(bytes(600))
    assert torch.equal(rows, tensors["model.embed_tokens.weight"])


@pytest.mark.parametrize("ending", ["model.embed_tokens.weight", "embed_tokens.weight", "weight"])
def test_find_matches_endings(folder, ending):
    assert Checkpoint(folder[0]).find([ending]) == "model.embed_tokens.weight"


def test_first_matching_ending_wins(folder):
    assert Checkpoint(folder[0]).find(["gamma", "scale", "norm"]) == "scale"


@pytest.mark.parametrize("ending", ["tokens.weight", "orm", "missing"])
def test_ending_must_follow_a_dot_or_be_the_name(folder, ending):
    with pytest.raises(
        FileFormatError, match=f"no tensor ends in '{ending}'; check that config.json and weights are of the same model"
    ):
        Checkpoint(folder[0]).find([ending])


def test_ambiguous_ending_raises(folder):
    path, _ = folder
    save_file({"question.bert.w": torch.ones(1), "answer.bert.w": torch.ones(1)}, path / "model.safetensors")
    with pytest.raises(FileFormatError, match=r"'answer.bert.w', 'question.bert.w' all end in 'bert.w', so it is not"):
        Checkpoint(path).find(["bert.w"])


def test_table_of_the_main_model_is_found_beside_that_of_its_drafts(folder):
    path, tensors = folder
    save_file(tensors | {"mtp.embed_tokens.weight": torch.ones(50, 3)}, path / "model.safetensors")
    assert Checkpoint(path).find(["embed_tokens.weight"]) == "model.embed_tokens.weight"


def test_unknown_name_raises(folder):
    with pytest.raises(UsageError, match="has no tensor 'other'"):
        Checkpoint(folder[0]).read("other")


def test_missing_folder_raises(tmp_path):
    with pytest.raises(UsageError, match="path must be the folder of a model, a string or a Path, not NoneType"):
        Checkpoint(None)
    with pytest.raises(UsageError, match="is not a folder; pass a local copy of the model's repository"):
        Checkpoint(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "message"),
    [("config.json", "config.json: missing"), ("model.safetensors", "holds neither model.safetensors nor model.")],
)
def test_missing_file_raises(folder, name, message):
    (folder[0] / name).unlink()
    with pytest.raises(FileFormatError, match=message):
        Checkpoint(folder[0])


def test_pickles_are_not_opened(folder):
    path, tensors = folder
    (path / "model.safetensors").unlink()
    torch.save(tensors, path / "pytorch_model.bin")
    with pytest.raises(FileFormatError, match="save the model with save_pretrained again"):
        Checkpoint(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "byte 1: not valid JSON"),
        ("[1]", "JSON, but not an object"),
        ("[" * 100_000, "nested too deeply"),
        ("\xff\xfe", "byte 0: not valid UTF-8"),
    ],
)
def test_invalid_config_raises(folder, text, message):
    (folder[0] / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FileFormatError, match=message):
        Checkpoint(folder[0])


def test_huge_config_raises(folder):
    with (folder[0] / "config.json").open("r+b") as file:
        file.truncate(1 << 40)  # sparse, so it uses no disk
    with pytest.raises(FileFormatError, match="has 1,099,511,627,776 bytes"):
        Checkpoint(folder[0])


@pytest.mark.parametrize(("damage", "message"), [(b"", "ends at byte 0"), (b"\xff" * 64, "header of .* bytes")])
def test_damaged_file_raises(folder, damage, message):
    (folder[0] / "model.safetensors").write_bytes(damage)
    with pytest.raises(FileFormatError, match=rf"model\.safetensors: .*{message}"):
        Checkpoint(folder[0])


def test_file_truncated_after_opening_raises(folder):
    path, _ = folder
    checkpoint = Checkpoint(path)
    with (path / "model.safetensors").open("r+b") as file:
        file.truncate(400)
    with pytest.raises(FileFormatError, match="tensor 'norm' cannot be read"):
        checkpoint.read("norm")


@pytest.mark.parametrize("files", [None, [], {"a": 3}])
def test_invalid_index_raises(folder, files):
    shard(folder[0], files)
    with pytest.raises(FileFormatError, match="'weight_map' does not give each tensor a file name"):
        Checkpoint(folder[0])


@pytest.mark.parametrize(
    "name", ["../model.safetensors", "/etc/hostname", "..", "sub/model.safetensors", "a\0b", "a" * 256, "\ud800", ""]
)
def test_index_that_leads_out_of_the_folder_raises(folder, name):
    shard(folder[0], {"a": name})
    with pytest.raises(FileFormatError, match=r"is outside the folder|is not a valid file name"):
        Checkpoint(folder[0]).read("a")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_link_out_of_the_folder_raises(folder, name, tmp_path_factory):
    path, _ = folder
    outside = tmp_path_factory.mktemp("outside") / name
    (path / name).rename(outside)
    (path / name).symlink_to(outside)
    with pytest.raises(FileFormatError, match=r"a link out of the folder, to .* made with: cp -rL"):
        Checkpoint(path)


# Reads the tensor named by the first argument, and prints the increase of peak memory in bytes.
MEASURE = """
import sys
from pathlib import Path
from rowspace.layers import from_checkpoint

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) << 10

from_checkpoint(sys.argv[1] + "/small")
before = peak()
embed = from_checkpoint(sys.argv[1] + "/large")
assert embed.tokens.weight.sum() == 3
print(peak() - before, embed.tokens.bytes)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_that_of_the_needed_tensors(tmp_path):
    # The other tensors are nine times as large.
    for name, rows in (("small", 4), ("large", 64_000)):
        weights = {"model.embed_tokens.weight": torch.zeros(rows, 256, dtype=torch.bfloat16)}
        weights["model.embed_tokens.weight"][-1, :3] = 1
        weights |= {f"model.layers.{i}.weight": torch.ones(rows, 256, dtype=torch.bfloat16) for i in range(9)}
        (tmp_path / name).mkdir()
        save_file(weights, tmp_path / name / "model.safetensors")
        config = {"model_type": "llama", "vocab_size": rows, "hidden_size": 256, "num_attention_heads": 4}
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    done = subprocess.run([sys.executable, "-c", MEASURE, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak, needed = map(int, done.stdout.split())
    assert needed == 64_000 * 256 * 2
    assert peak < 1.2 * needed
