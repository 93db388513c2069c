"""Scores of search on queries whose answers are known."""

import json

import pytest
from tests.search.samples import write_files

from rowspace.errors import FileFormatError, UsageError
from rowspace.search import Index, Question, SearchScores, evaluate_search

QUESTIONS = [
    Question("Tulips grow bulbs spring", ["garden.txt"], "garden"),
    Question("parse_header colon", ["guide.md", "src/parse.py"], "code"),
    Question("Install package pip", ["garden.txt"]),  # wrong: guide.md answers it
]


def write_lines(path, lines):
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def ranks_by_hand(index, mode, question, folder):
    """Return the rank of the first answer among the files of `Index.search`."""
    files = []
    for hit in index.search(question.query, k=50, mode=mode):
        if hit.path not in files:
            files.append(hit.path)
    ranks = [files.index(str(folder / file)) + 1 for file in question.files if str(folder / file) in files]
    return min(ranks, default=None)


def test_scores_are_those_of_the_ranks_of_search(index, folder):
    scores = evaluate_search(index, QUESTIONS)
    assert [(each.kind, each.mode) for each in scores] == [
        (kind, mode) for kind in ("", "garden", "code") for mode in ("hybrid", "dense", "lexical")
    ]
    for found in scores:
        ranks = [ranks_by_hand(index, found.mode, each, folder) for each in QUESTIONS if found.kind in ("", each.kind)]
        assert found == SearchScores.of(ranks, found.mode, found.kind)
    assert scores[0].recall_1 == pytest.approx(2 / 3)
    assert scores[5].questions == 1


def test_recall_and_mrr_by_hand():
    ranks = [1, 2, 5, 6, 10, 11, None, 1]
    expected = ("x", "k", 8, 2 / 8, 4 / 8, (1 + 1 / 2 + 1 / 5 + 1 / 6 + 1 / 10 + 1) / 8)
    assert SearchScores.of(ranks, "x", "k") == pytest.approx(expected)


def test_a_file_of_questions_gives_the_same_scores(index, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder / "src")
    paths = {"src/parse.py": "./parse.py", "guide.md": "../guide.md", "garden.txt": str(folder / "garden.txt")}
    lines = [each._asdict() | {"files": [paths[file] for file in each.files]} for each in QUESTIONS]
    del lines[2]["kind"]
    file = write_lines(tmp_path / "queries.jsonl", [lines[0], "", *lines[1:], ""])
    assert evaluate_search(index, file) == evaluate_search(index, QUESTIONS)


def test_wrong_lines_are_named(index, tmp_path):
    right = {"query": "tulips", "files": ["garden.txt"]}
    for wrong, reason in {
        "{": "not valid JSON",
        "[" * 100_000: "not valid JSON",
        "[1]": "not a JSON object",
        '{"files": ["garden.txt"]}': '"query" is missing, empty or not text',
        '{"query": " ", "files": ["garden.txt"]}': '"query" is missing, empty or not text',
        '{"query": "a", "files": "garden.txt"}': '"files" must be a list of one or more paths',
        '{"query": "a", "files": []}': '"files" must be a list of one or more paths',
        '{"query": "a", "files": [1]}': '"files" must be a list of one or more paths',
        '{"query": "a", "files": ["b"], "kind": 1}': '"kind" is not text',
        '{"query": "a", "files": ["\\u0000"]}': "a text has NUL or half a surrogate pair",
        '{"query": "\\ud800", "files": ["b"]}': "a text has NUL or half a surrogate pair",
    }.items():
        file = write_lines(tmp_path / "queries.jsonl", [right, "", wrong])
        with pytest.raises(FileFormatError, match=r"queries\.jsonl: line 3: ") as error:
            evaluate_search(index, file)
        assert f"line 3: {reason}; repair the line or remove it" in str(error.value), wrong
    file = write_lines(tmp_path / "queries.jsonl", ["", right, {"query": "a", "files": ["garden.txt", "nothing.txt"]}])
    with pytest.raises(UsageError, match=r"queries\.jsonl: line 3: the index has no file 'nothing\.txt'; give a path"):
        evaluate_search(index, file)
    with pytest.raises(UsageError, match=r"question 1: the index has no file '\.\./garden\.txt'"):
        evaluate_search(index, [Question("tulips", ["../garden.txt"])])
    for wrong, what in (([1], "question 1 must be a Question"), (None, "questions must be a list of Question or")):
        with pytest.raises(UsageError, match=what):
            evaluate_search(index, wrong)
    with pytest.raises(UsageError, match="question 1 must be a Question"):
        evaluate_search(index, [Question("tulips", "garden.txt")])
    for none in ([], write_lines(tmp_path / "queries.jsonl", ["", ""])):
        with pytest.raises(UsageError, match="there are no questions"):
            evaluate_search(index, none)


def test_a_relative_path_is_each_file_whose_path_ends_so(folder, encoder, tmp_path, monkeypatch):
    write_files(folder, {f"{name}/__init__.py": f"{name} = 'tulips'\n" for name in ("src", "src/deep")})
    index = Index.build(folder / "src", encoder, tmp_path / "index")

    def mrr(file):
        return evaluate_search(index, [Question("deep", [file])])[2].mrr_10

    assert mrr("__init__.py") == mrr("src/deep/__init__.py") == mrr(f"{folder}/src/deep/__init__.py") == 1
    monkeypatch.chdir(folder / "src")
    assert mrr("./__init__.py") < 1
    with pytest.raises(UsageError, match=r"no file 'eep/__init__\.py'; give a path that is absolute, begins with"):
        mrr("eep/__init__.py")
