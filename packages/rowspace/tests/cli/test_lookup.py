from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs
import rowspace.store.text_formats.word2vec  # whose kernels an unprivileged user could not load from their cache
from rowspace.cli.lookup import resolve_words
from rowspace.errors import UnknownTokenError

Run = Callable[..., Any]


def test_word_in_another_case_is_lowercased_with_a_message(run: Run, table_path: str) -> None:
    lower, upper = run("near", table_path, "class", "--json"), run("near", table_path, "CLASS", "--json")
    assert upper.stdout == lower.stdout
    assert "'CLASS' is looked up as 'class'" in upper.stderr
    assert lower.stderr == ""


def test_known_word_is_unchanged() -> None:
    table = rs.fit(["The the The the"] * 5, cased=True, dim=2, epochs=1, sample=0)
    assert resolve_words(table, ["The", "the"]) == ["The", "the"]


@pytest.mark.parametrize("tokenizer", [None, '{"normalizer": null}', '{"normalizer": {"type": "NFC"}}'])
def test_cased_table_does_not_lowercase(tokenizer: str | None) -> None:
    table = rs.Table(["class"], np.ones((1, 2)), tokenizer=tokenizer)
    with pytest.raises(UnknownTokenError, match="'Class' is not in the vocabulary; did you mean 'class'"):
        resolve_words(table, ["Class"])


def test_lowercase_in_a_sequence_of_normalizers_is_detected() -> None:
    steps = '{"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}}'
    assert resolve_words(rs.Table(["class"], np.ones((1, 2)), tokenizer=steps), ["Class"]) == ["class"]


@pytest.mark.parametrize(
    ("options", "word", "token"),
    [
        ({"tokens": "bpe"}, "dog", "Ġdog"),
        ({"tokens": "bpe"}, "née", "ĠnÃ©e"),
        ({"tokens": "bpe", "pretokenize": "metaspace"}, "dog", "▁dog"),
        ({"tokens": "bpe", "pretokenize": "whitespace"}, "dog", "dog</w>"),
        ({"tokens": "wordpiece"}, "Dog", "dog"),
    ],
)
def test_word_is_found_with_its_word_start_marker(
    options: dict[str, str], word: str, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = rs.fit(["a dog née ran", "one dog née saw"] * 20, **options, dim=2, epochs=1, sample=0)
    assert resolve_words(table, [word]) == [token]
    assert f"{word!r} is looked up as {table.shown(token)!r}" in capsys.readouterr().err


def test_error_lists_the_pieces_of_a_word() -> None:
    table = rs.fit(["a dog ran"] * 20, tokens="bpe", dim=2, epochs=1, sample=0)
    with pytest.raises(UnknownTokenError, match=r"did you mean 'Ġdog' \(␣dog\).*its tokenizer splits it: ␣dog s"):
        resolve_words(table, ["dogs"])


def test_unknown_token_does_not_match_a_word() -> None:
    table = rs.fit(["a dog ran"] * 20, tokens="chars", dim=2, epochs=1, sample=0)
    with pytest.raises(UnknownTokenError, match="'é' is not in the vocabulary"):
        resolve_words(table, ["é"])


def test_error_names_the_word_that_was_looked_up(run: Run, table_path: str) -> None:
    assert "token 'clas' is not" in run("near", table_path, "Clas", status=1).stderr


def test_missing_path_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    result = run("near", str(tmp_path / "nowhere"), "class", status=2)
    assert result.stderr.startswith("rowspace: there is no file or folder ")


def test_folder_without_permission_gives_a_message(run: Run, table: rs.Table, unprivileged: Path) -> None:
    table.save(unprivileged / "table")
    (unprivileged / "table").chmod(0o000)
    for arguments in (
        ("near", "class"),
        ("info",),
        ("eval", "pairs.tsv"),
        ("convert", str(unprivileged / "table.npz")),
    ):
        messages = run(arguments[0], str(unprivileged / "table"), *arguments[1:], status=1).stderr
        assert messages.startswith(f"rowspace: '{unprivileged}/table/"), arguments
        assert messages.endswith("Permission denied; check the path and its permissions\n"), arguments
