import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from rowspace.errors import FileFormatError
from rowspace.files.transformers_folder import INDEX, MODEL, TransformersFolder


def test_weights_in_one_file_or_in_shards_are_found(tmp_path):
    folder = TransformersFolder(tmp_path)
    assert not folder.has_weights
    save_file({"a": np.ones(2), "b": np.ones((1, 3))}, tmp_path / MODEL)
    assert (folder.has_weights, folder.is_sharded) == (True, False)
    assert (folder.files, folder.tensors.keys()) == ({"a": MODEL, "b": MODEL}, {"a", "b"})
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "one", "b": "two"}}))
    assert TransformersFolder(tmp_path).files == {"a": MODEL, "b": MODEL}  # the index is stale, as in transformers
    (tmp_path / MODEL).unlink()
    folder = TransformersFolder(tmp_path)
    assert (folder.has_weights, folder.is_sharded, folder.tensors) == (True, True, None)
    assert folder.file_of("b") == tmp_path / "two"


def test_config_is_read_from_config_json(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert TransformersFolder(tmp_path).config == {"model_type": "llama"}


def test_folder_without_weights_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"holds neither model\.safetensors nor .*; save the model with"):
        _ = TransformersFolder(tmp_path).files
    (tmp_path / MODEL).symlink_to("../elsewhere")
    with pytest.raises(FileFormatError, match="a link out of the folder"):
        _ = TransformersFolder(tmp_path).files


def test_shard_outside_the_folder_is_refused(tmp_path):
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "../one"}}))
    with pytest.raises(FileFormatError, match="is outside the folder"):
        TransformersFolder(tmp_path).file_of("a")
