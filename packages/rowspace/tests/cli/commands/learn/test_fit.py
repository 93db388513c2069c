import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import rowspace as rs
from rowspace._base.options import OptionField, option_fields
from rowspace.cli.app import app
from rowspace.cli.commands.learn.fit import default_output
from rowspace.cli.fit_summary import losses_line, summary
from rowspace.errors import UsageError
from rowspace.learn import FitOptions, run_folder_of
from rowspace.text import TextOptions, TokenizerOptions

Run = Callable[..., Any]
Command = Callable[..., subprocess.CompletedProcess[str]]

QUICK = ("--dim", "8", "--epochs", "1", "--workers", "1")


def fields() -> list[OptionField]:
    by_name = {}
    for options in (FitOptions, TextOptions, TokenizerOptions):
        for field in option_fields(options):
            by_name.setdefault(field.name, field)
    return list(by_name.values())


def parameters() -> dict[str, object]:
    return {parameter.name: parameter for parameter in get_command(app).commands["fit"].params}


@pytest.mark.parametrize("field", fields(), ids=lambda field: field.name)
def test_help_has_every_option_with_its_default(field: OptionField) -> None:
    parameter = parameters()[field.name]
    assert parameter.help == f"{field.option.help}  [default: {field.default}]"
    assert parameter.default is None


def test_help_groups_options_by_dataclass(run: Run) -> None:
    shown = run("fit", "--help").stdout
    headings = [shown.index(f"\n{name}:\n") for name in ("Options", "Learning", "Words and sentences", "Tokens")]
    places = [
        shown.index(option) for option in ("  -o, --output", "  --dim <", "  --min-count <", "  --vocabulary-size <")
    ]
    assert sorted(headings + places) == [place for pair in zip(headings, places, strict=True) for place in pair]


def test_defaults_in_the_help_are_correct() -> None:
    skipgram, cbow = FitOptions(), FitOptions(model="cbow")
    assert (skipgram.learning_rates, cbow.learning_rates) == ((0.035, 0.3 * 0.035), (0.1, 0.3 * 0.1))
    assert (skipgram.shrink_windows, skipgram.cbow_mean, skipgram.workers) == (True, True, None)
    text = TextOptions()
    assert (text.cased, text.max_vocabulary, text.sentences, text.column) == (False, None, "line", None)
    kinds = {kind: TokenizerOptions(kind) for kind in ("bpe", "wordpiece", "unigram", "bytes", "chars")}
    assert [kind for kind in kinds if kinds[kind].vocabulary_size == 32000] == ["bpe", "wordpiece", "unigram"]
    assert [kinds[kind].normalize for kind in kinds] == ["none", "bert", "nfkc", "none", "none"]
    assert [kinds[kind].pretokenize for kind in kinds] == ["gpt2", "bert", "metaspace", None, None]
    assert [kinds[kind].special for kind in kinds] == [(), ("[UNK]",), ("[UNK]",), (), ("[UNK]",)]
    assert [kinds[kind].min_frequency for kind in kinds] == [5, 5, None, None, 5]


def test_same_table_as_from_python(run: Run, english: Path, tmp_path: Path) -> None:
    run("fit", str(english), "-o", str(tmp_path / "table"), *QUICK)
    learned, expected = rs.load(tmp_path / "table"), rs.fit(english, dim=8, epochs=1, workers=1)
    assert learned.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(learned.rows, expected.rows)
    assert not run_folder_of(tmp_path / "table").exists()


def test_options_reach_the_fit(run: Run, english: Path, tmp_path: Path) -> None:
    values = {
        "dim": 6, "model": "cbow", "epochs": 2, "window": 3, "negatives": 4, "ns_exponent": 0.5, "sample": 0.01,
        "alpha": 0.05, "min_alpha": 0.01, "cbow_gradient": "word2vec", "workers": 1, "seed": 9, "min_count": 20,
        "max_vocabulary": 200, "sentences": "paragraph",
    }  # fmt: skip
    options = [part for name, value in values.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    flags = ["--fixed-windows", "--cbow-sum", "--cased"]
    shown = run("fit", str(english), "-o", str(tmp_path / "table"), *options, *flags, "--json").stdout
    settings = json.loads(shown)["settings"]
    assert settings.items() >= (values | {"shrink_windows": False, "cbow_mean": False, "cased": True}).items()


def test_options_of_tokens_reach_the_fit(run: Run, english: Path, tmp_path: Path) -> None:
    values = {"tokens": "bpe", "vocabulary_size": 600, "normalize": "nfc", "pretokenize": "llama3", "min_frequency": 3}
    options = [part for name, value in values.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    special = ["--special", "<s>", "--special", "</s>"]
    shown = run("fit", str(english), "-o", str(tmp_path / "table"), *options, *special, *QUICK, "--json").stdout
    assert json.loads(shown)["settings"].items() >= (values | {"special": ["<s>", "</s>"]}).items()
    assert rs.load(tmp_path / "table").vocabulary[:2] == ["<s>", "</s>"]


def test_tokens_and_unused_tokens_are_counted(command: Command, english: Path, tmp_path: Path) -> None:
    done = command("fit", english, "-o", tmp_path / "table", "--tokens", "bytes", *QUICK)
    table = rs.load(tmp_path / "table")
    unused = int((table.counts == 0).sum())
    assert f"256 tokens × 8, learned from {table.counts.sum():,} tokens; {unused} tokens are unused" in done.stdout
    assert "M tokens/s" in done.stdout
    assert f" {256 - unused} tokens to learn; {unused} of 256 are unused" in done.stderr
    assert "rowspace near" in done.stdout


@pytest.mark.long
def test_reading_twice_is_counted_twice(command: Command, english: Path, tmp_path: Path) -> None:
    done = command("fit", english, "-o", tmp_path / "table", "--tokens", "chars", *QUICK)
    shares = re.findall(r"reading: (\S+ .B) of (\S+ .B)", done.stderr)
    assert shares[-1][0] == shares[-1][1]


def test_nondeterministic_tokenizer_gives_a_message(run: Run, english: Path, tmp_path: Path) -> None:
    tokens = ("--tokens", "wordpiece", "--vocabulary-size", "500")
    result = run("fit", str(english), "-o", str(tmp_path / "table"), *tokens, *QUICK)
    assert f"wordpiece training is not deterministic; --tokens {tmp_path}/table reuses these tokens" in result.stdout
    again = run("fit", str(english), "-o", str(tmp_path / "again"), "--tokens", str(tmp_path / "table"), *QUICK)
    assert "not deterministic" not in again.stdout
    np.testing.assert_array_equal(rs.load(tmp_path / "table").rows, rs.load(tmp_path / "again").rows)


def test_json_is_alone_on_standard_output(command: Command, english: Path, tmp_path: Path) -> None:
    done = command("fit", english, "-o", tmp_path / "table", *QUICK, "--json")
    document = json.loads(done.stdout)
    table = rs.load(tmp_path / "table")
    assert (document["num_embeddings"], document["embedding_dim"]) == (len(table), 8)
    assert document["table"] == str(tmp_path / "table")
    assert document["settings"] == table.settings
    assert document["words_per_second"] > 0
    assert "rowspace: read: " in done.stderr


def test_summary_has_an_example_command(run: Run, english: Path, tmp_path: Path) -> None:
    output = tmp_path / "my table"
    result = run("fit", str(english), "-o", str(output), *QUICK)
    table = rs.load(output)
    assert f"{len(table):,} tokens × 8, learned from {table.settings['words']:,} words" in result.stdout
    assert f"loss by epoch: {table.settings['losses'][0]:.3f}\n" in result.stdout
    assert "to the bit" not in result.stdout
    (next_command,) = re.findall("try: rowspace near '(.*)' (.*)", result.stdout)
    assert next_command[0] == str(output)
    assert next_command[1] in table


def test_example_command_has_no_special_token(run: Run, english: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "letters")
    result = run("fit", str(english), "-o", output, *QUICK, "--tokens", "chars", "--special", "[PAD]")
    (token,) = re.findall("try: rowspace near .* (.*)", result.stdout)
    assert len(shlex.split(token)[0]) == 1


@pytest.mark.long
def test_several_workers_give_a_message_about_reproducibility(run: Run, english: Path, tmp_path: Path) -> None:
    result = run("fit", str(english), "-o", str(tmp_path / "table"), *QUICK, "--workers", "2")
    assert "2 workers: " in result.stdout
    assert "--deterministic or --workers 1 is reproducible" in result.stdout
    result = run("fit", str(english), "-o", str(tmp_path / "same"), *QUICK, "--workers", "2", "--deterministic")
    assert "reproducible" not in result.stdout


def test_several_corpora_of_all_kinds(command: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("a.txt", "b.txt", "folder/c.txt"):
        (tmp_path / name).write_text(f"the word in {name.replace('.', ' ')}\n" * 10)
    done = command("fit", "?.txt", "folder", "-", "-o", "table", *QUICK, cwd=tmp_path, input="the spoken word\n" * 10)
    assert done.stdout.startswith("9 tokens × 8")
    assert {"a", "b", "c", "spoken"} <= set(rs.load(tmp_path / "table"))


def test_json_lines_are_read_with_field(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"body": {"text": "the word"}, "id": "nothing"}\n' * 10)
    run("fit", str(path), "-o", str(tmp_path / "table"), "--column", "body.text", *QUICK, "--sample", "0")
    assert set(rs.load(tmp_path / "table")) == {"the", "word"}


@pytest.mark.parametrize(
    ("names", "output"),
    [
        ([], "stdlib-table"),
        (["-"], "stdin-table"),
        (["books/books.txt.xz", "other.txt"], "books-table"),
        (["notes"], "notes-table"),
        (["data/v1.2.txt"], "v1.2-table"),
        (["articles/*.txt"], "text-table"),
        (["part-[0-9].txt"], "part-0-9-table"),
    ],
)
def test_default_output_is_named_after_the_corpus(
    names: list[str], output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_output(names, "table", resume=False) == output


def test_default_output_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes-table").mkdir()
    with pytest.raises(UsageError, match="'notes-table' already exists; give -o notes-table"):
        default_output(["notes.txt"], "table", resume=False)
    assert default_output(["notes.txt"], "table", resume=True) == "notes-table"


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (("nowhere.txt",), 2, "there is no file or folder 'nowhere.txt'"),
        (("",), 2, "the name of a corpus is empty"),
        (("--dim", "0"), 2, "dim must be "),
        (("--model", "glove"), 2, "--model"),
        (("--resume",), 2, "no interrupted fit"),
        (("--tokens", "bep"), 2, "did you mean bpe?"),
        (("--tokens", "bpe", "--min-count", "3"), 2, "min_count has no meaning with tokens='bpe'"),
        (("--tokens", "chars", "--pretokenize", "bert"), 2, "pretokenize has no meaning with tokens='chars'"),
        (("--vocabulary-size", "500"), 2, "vocabulary_size has no meaning with tokens='words'"),
    ],
)
def test_usage_error_leaves_no_files(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], status: int, why: str
) -> None:
    result = run("fit", "-o", str(tmp_path / "table"), *arguments, status=status)
    assert why in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_empty_output_is_a_usage_error(run: Run, english: Path) -> None:
    assert "-o is empty; give the folder" in run("fit", str(english), "-o", "", status=2).stderr


def test_longest_valid_output_name_works(run: Run, english: Path, tmp_path: Path) -> None:
    for name in ("x" * 251, "x" * 252, "x" * 255, "é" * 127):
        run("fit", str(english), "-o", str(tmp_path / name), *QUICK)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        shutil.rmtree(tmp_path / name)


def test_foreign_files_in_the_run_folder_are_not_touched(run: Run, english: Path, tmp_path: Path) -> None:
    (tmp_path / "table.fit").write_text("precious")
    messages = run("fit", str(english), "-o", str(tmp_path / "table"), *QUICK, status=2).stderr
    assert "is needed for the fit but is not a folder; move it away" in messages
    assert (tmp_path / "table.fit").read_text() == "precious"


def test_folder_without_write_permission_gives_a_message(run: Run, english: Path) -> None:
    messages = run("fit", str(english), "-o", "/proc/table", *QUICK, status=1).stderr
    assert messages.startswith("rowspace: cannot save to /proc/table")
    assert messages.count("\n") == 1


@pytest.mark.long
def test_replaced_text_is_a_warning_not_an_error(command: Command, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("le café noir\n".encode("latin-1") * 10)
    done = command("fit", "latin.txt", "-o", "table", *QUICK, cwd=tmp_path)
    assert "rowspace: warning: 10 bad UTF-8 sequences of the corpus 'latin.txt' were replaced" in done.stderr


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ([2.5], "2.500"),
        ([float(n) for n in range(10)], "0.000 1.000 2.000 3.000 4.000 5.000 6.000 7.000 8.000 9.000"),
        ([float(n) for n in range(21)], "0.000 2.000 5.000 8.000 11.000 14.000 17.000 20.000"),
    ],
)
def test_first_and_last_loss_are_always_printed(losses: list[float], expected: str) -> None:
    assert losses_line({"losses": losses}) == f"loss by epoch: {expected}"


@pytest.mark.filterwarnings("default:nothing was learned")
def test_sampling_that_leaves_nothing_to_learn_is_explained(run: Run, english: Path, tmp_path: Path) -> None:
    done = run("fit", str(english), "-o", str(tmp_path / "t"), *QUICK, "--sample", "1e-12")
    assert "warning: nothing was learned, and the rows are random" in done.stderr
    assert "sample=1e-12, which drops frequent words; give more text, or sample=0 to keep all words" in done.stderr


def test_standard_library_is_the_default(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("fit", *QUICK, "--min-count", "50")
    assert "import" in rs.load("stdlib-table")


def test_fit_does_not_import_torch(english: Path, tmp_path: Path) -> None:
    code = """
import sys
from contextlib import suppress
from rowspace.cli.app import app
with suppress(SystemExit):
    app(["fit", *sys.argv[1:], "--epochs", "1", "--dim", "4"], prog_name="rowspace")
print("numba" in sys.modules, "torch" in sys.modules)
"""
    arguments = [sys.executable, "-c", code, str(english), "-o", str(tmp_path / "table")]
    shown = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "True False"


def test_rows_that_changed_most_are_named_by_their_text() -> None:
    texts = ["a red cat, a blue dog", "the king of the sea"] * 20
    table = rs.fit(iter(texts), tokens="bpe", vocabulary_size=300, dim=4, epochs=1, workers=1)
    table = rs.fit(iter(texts), init=table, epochs=2, workers=1)
    [line] = [line for line in summary("out", table, 1.0) if line.startswith("changed most")]
    assert "␣" in line
    assert "Ġ" not in line
