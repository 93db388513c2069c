"""Other tokenizers of this machine, and uploaded ones, applied to the same text."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.errors import FileFormatError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.tokens.tokenizer_files import MAX_FILE, Uploads, find_tokenizers

TEXT = "the cat sat, the unknown"


def word_level(words: list[str]) -> str:
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return str(tokenizer.to_str())


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A working folder with a tokenizer, a damaged one and a hidden one, and a cache of Hugging Face with a model."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))  # no default tokenizer is learned
    work, cache = tmp_path / "work", tmp_path / "hub"
    folders = {
        "mine": work / "runs" / "mine",
        "damaged": work / "damaged",
        "hidden": work / ".hidden",
        "deep": work / "a/b/c/d/e",
        "model": cache / "models--someone--model" / "snapshots" / "0f0f",
    }
    for name, folder in folders.items():
        folder.mkdir(parents=True)
        text = "{" if name == "damaged" else word_level(["[UNK]", "the", "cat", "," if name == "mine" else "sat"])
        (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    monkeypatch.setenv("HF_HUB_CACHE", str(cache))
    monkeypatch.chdir(work)
    return folders


def test_tokenizers_of_the_folder_and_the_cache_are_listed(files: dict[str, Path], bert_lab: Lab, ask) -> None:
    found = ask(bert_lab, "tokens/tokenizers").meta["tokenizers"]
    assert [(each["title"], each["place"]) for each in found if each["place"] != "uploaded"] == [
        ("The table’s tokenizer", "this page"),
        ("damaged", "working folder"),
        (str(Path("runs", "mine")), "working folder"),
        ("someone/model", "Hugging Face cache"),
    ]
    ids = {each["title"]: each["id"] for each in found}
    assert ids["someone/model"] == hashlib.sha256(os.fsencode(files["model"])).hexdigest()[:16]


def test_text_is_compared_side_by_side(files: dict[str, Path], bert_lab: Lab, check_code) -> None:
    ids = {each.title: each.id for each in find_tokenizers()}
    names = ["table", ids[str(Path("runs", "mine"))], ids["damaged"], ids["someone/model"]]
    reply = check_code(bert_lab, "tokens/comparison", text=TEXT, **{"with": names})
    table, mine, damaged, model = reply.meta["tokenizers"]
    # The same by the `tokenizers` library.
    for each, text in ((table, bert_lab.table.tokenizer), (mine, (files["mine"] / "tokenizer.json").read_text())):
        expected = Tokenizer.from_str(str(text)).encode(TEXT, add_special_tokens=False)
        assert each["split"]["tokens"] == expected.tokens
    assert mine["kind"] == "words"
    assert (mine["split"]["size"], mine["split"]["kinds"]) == (4, ["", "", "unknown", "", "", "unknown"])
    assert damaged["split"] is None
    assert "does not open as a tokenizer" in damaged["error"] or "not valid JSON" in damaged["error"]
    assert model["split"]["unknown"] == 2
    lengths = [len(each["split"]["tokens"]) for each in (table, mine, model)]
    assert reply.arrays["num_tokens"].tolist() == lengths
    assert reply.arrays["ids"][lengths[0] :][: lengths[1]].tolist() == [1, 2, 0, 3, 1, 0]


def test_uploaded_tokenizer_is_compared(bert_lab: Lab, ask) -> None:
    data = word_level(["[UNK]", "the", "sat"]).encode()
    uploaded = ask(bert_lab, "tokens/tokenizers", body=data, file="mine.json").meta
    assert uploaded["tokenizers"][-1] == {"id": uploaded["uploaded"], "title": "mine.json", "place": "uploaded"}
    (found,) = ask(bert_lab, "tokens/comparison", text=TEXT, **{"with": uploaded["uploaded"]}).meta["tokenizers"]
    assert (found["title"], found["split"]["tokens"]) == ("mine.json", ["the", "[UNK]", "sat", "[UNK]", "the", "[UNK]"])


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"{}", b"\xff\xfe", b'{"model": {}}', b"[" * 100_000])
def test_other_uploads_are_refused(bert_lab: Lab, ask, data: bytes) -> None:
    with pytest.raises(FileFormatError, match="the uploaded file"):
        ask(bert_lab, "tokens/tokenizers", body=data)


def test_long_name_of_an_upload_is_refused(bert_lab: Lab, ask) -> None:
    data = word_level(["[UNK]"]).encode()
    assert ask(bert_lab, "tokens/tokenizers", body=data, file="m" * 300).meta["uploaded"]
    with pytest.raises(UsageError, match="file must have at most 300 characters, not 301"):
        ask(bert_lab, "tokens/tokenizers", body=data, file="m" * 301)


def test_only_the_last_uploads_are_kept() -> None:
    uploads = Uploads(limit=2)
    names = [uploads.keep(word_level(["[UNK]", word]).encode(), word) for word in ("a", "b", "c")]
    assert uploads.titles() == [(names[1], "b"), (names[2], "c")]
    with pytest.raises(UsageError, match="upload it again"):
        uploads.get(names[0])


def test_paths_and_unknown_ids_are_refused(files: dict[str, Path], bert_lab: Lab, ask) -> None:
    for name in (str(files["mine"]), "0" * 16, "../mine", ""):
        with pytest.raises(UsageError, match="no tokenizer has the id"):
            ask(bert_lab, "tokens/comparison", **{"with": name})
    with pytest.raises(UsageError, match="with must have at most 4 values"):
        ask(bert_lab, "tokens/comparison", **{"with": ["table"] * 5})


def test_links_and_large_files_are_not_listed(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with (files["mine"] / "tokenizer.json").open("ab") as file:
        file.truncate(MAX_FILE + 1)
    elsewhere = Path("linked")
    elsewhere.mkdir()
    (elsewhere / "tokenizer.json").symlink_to(files["model"] / "tokenizer.json")
    assert [each.title for each in find_tokenizers()] == ["damaged", "someone/model"]


def test_table_without_a_tokenizer_compares_nothing_by_default(
    small_lab: Callable[..., Lab], ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = small_lab(["a"], np.ones((1, 1)))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="this table has no tokenizer"):
        ask(lab, "tokens/comparison", **{"with": "table"})
