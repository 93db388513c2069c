from pathlib import Path

import pytest

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.text.tokenizers.folder_files import class_of, object_in, read_bytes, read_text, settings_of


def test_missing_json_is_empty_and_missing_file_is_refused(tmp_path: Path) -> None:
    assert object_in(tmp_path / "a.json") == {}
    for path in (tmp_path / "a.json", tmp_path):
        with pytest.raises(FileFormatError, match="is missing or not a regular file"):
            read_bytes(path)


def test_byte_order_mark_is_skipped_and_invalid_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffnaïve".encode())
    assert read_text(path) == "naïve"
    path.write_bytes(b"na\xefve")
    with pytest.raises(FileFormatError, match="byte 2: not valid UTF-8"):
        read_text(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "JSON"),
        (b"[1]", "but not an object"),
        (b"\xff", "not valid UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_json_that_is_not_an_object_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=message) as caught:
        object_in(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json"])
def test_folder_in_place_of_a_settings_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(RowspaceError, match=name):
        settings_of(tmp_path)


def test_tokenizer_config_overrides_special_tokens_map(tmp_path: Path) -> None:
    (tmp_path / "special_tokens_map.json").write_text('{"unk_token": "?", "pad_token": "."}')
    (tmp_path / "tokenizer_config.json").write_text('{"unk_token": "!"}')
    assert settings_of(tmp_path) == {"unk_token": "!", "pad_token": "."}


@pytest.mark.parametrize(
    ("tokenizer_config", "config", "expected"),
    [
        ("{}", "{}", None),
        ("{}", '{"model_type": "bert"}', "bert"),
        ("{}", '{"model_type": "bert", "tokenizer_class": "XTokenizer"}', "X"),
        ('{"tokenizer_class": "BertTokenizerFast"}', '{"tokenizer_class": "XTokenizer"}', "Bert"),
        ('{"tokenizer_class": null}', '{"model_type": "gpt2"}', "gpt2"),
    ],
)
def test_class_of_reads_the_tokenizer_class_or_model_type(
    tokenizer_config: str, config: str, expected: str | None, tmp_path: Path
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(tokenizer_config)
    (tmp_path / "config.json").write_text(config)
    assert class_of(tmp_path) == expected
