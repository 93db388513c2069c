"""The passages that answer a question, compared with `Index.search` and NumPy, and the code that the page shows."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA
from tests.search.samples import write_files

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.search import Index
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search.source import SearchSource, encoder_of
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.world import world_choice

QUESTION = "Tulips, bulbs and the package"


@pytest.fixture
def source(folder: Path, lab: Lab, run) -> SearchSource:
    """The folder, indexed."""
    source = SearchSource(folder)
    run(source, lab)
    return source


@pytest.fixture
def index(source: SearchSource, lab: Lab) -> Index:
    return Index.open(source.place(encoder_of(lab)).path, encoder_of(lab))


def run_code(code: str) -> tuple[str, dict[str, object]]:
    """Run code as pasted by a reader, and return what it prints and its names."""
    printed, names = io.StringIO(), dict[str, object]()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue(), names


def test_code_takes_the_rows_of_a_sentence_encoder_alone(folder, run, ask, monkeypatch, tmp_path) -> None:
    lab, source = EVERYDAY.open(), SearchSource(folder)
    monkeypatch.chdir(tmp_path)
    _, names = run_code(ask(source, lab, "search/index").meta["code"])
    run(source, lab)
    assert len(names["index"]) == ask(source, lab, "search/index").meta["passages"]
    _, names = run_code(ask(source, lab, "search/results", text=QUESTION).meta["codes"]["hybrid"])
    assert names["hits"]


@pytest.mark.parametrize("path", ["", "*.md"])
def test_rankings_are_those_of_the_index(source, lab, index, folder, ask, path) -> None:
    meta = ask(source, lab, "search/results", text=QUESTION, path=path, k=3).meta
    for mode in ("hybrid", "dense", "lexical"):
        expected = index.search(QUESTION, k=3, path=path or None, mode=mode)
        found = [meta["passages"][number] for number in meta[mode]]
        assert [(str(folder / each["path"]), each["chunk"]) for each in found] == [
            (hit.path, hit.chunk) for hit in expected
        ], mode
        scores = [hit.score for hit in expected]
        if mode != "lexical":
            key = "score" if mode == "hybrid" else "cosine"
            assert [each[key] for each in found] == pytest.approx(scores, abs=1e-5)
        assert [(each["first_line"], each["name"], each["text"]) for each in found] == [
            (hit.first_line, hit.name, hit.text) for hit in expected
        ]
    for hit, each in zip(index.search(QUESTION, k=3, path=path or None), meta["hybrid"], strict=True):
        shown = meta["passages"][each]
        assert (shown["dense_rank"], shown["lexical_rank"]) == (hit.dense_rank, hit.lexical_rank)


def test_marks_add_up_to_the_scores_and_lie_on_words(source, lab, ask) -> None:
    reply = ask(source, lab, "search/results", text=QUESTION)
    spans, shares = reply.arrays["spans"], reply.arrays["shares"]
    ends, match_ends = reply.arrays["span_ends"], reply.arrays["match_ends"]
    terms = reply.meta["terms"]
    assert terms == ["tulips", "bulbs", "and", "the", "package", "tulip", "bulb"]
    for number, passage in enumerate(reply.meta["passages"]):
        own = slice(ends[number - 1] if number else 0, ends[number])
        context = passage["title_share"] + passage["opening_share"]
        assert shares[own].sum() + context == pytest.approx(passage["cosine"], abs=1e-5)
        assert reply.arrays["scores"][number].sum() == pytest.approx(passage["bm25"], rel=1e-5)
        whole = f"{passage['name']}\n{passage['text']}" if passage["name"] else passage["text"]
        for begin, end in spans[own]:
            assert re.fullmatch(r"\w+|[^\w\s]+", whole[begin:end]), whole[begin:end]
        for begin, end, term in reply.arrays["matches"][match_ends[number - 1] if number else 0 : match_ends[number]]:
            assert whole[begin:end].lower() == terms[term]


def test_places_count_as_javascript_does(tmp_path, lab, run, ask) -> None:
    write_files(tmp_path / "emoji", {"a.txt": "😀 Tulips 😀😀 bulbs"})
    run(tmp_path / "emoji", lab)
    reply = ask(tmp_path / "emoji", lab, "search/results", text="bulbs")
    units = "😀 Tulips 😀😀 bulbs".encode("utf-16-le")

    def text_at(begin, end):
        return units[2 * begin : 2 * end].decode("utf-16-le")

    assert [text_at(*span) for span in reply.arrays["spans"]] == ["Tulips", "bulbs"]
    assert [text_at(*match[:2]) for match in reply.arrays["matches"]] == ["bulbs"]


def test_code_of_each_mode_prints_the_results(source, lab, ask) -> None:
    meta = ask(source, lab, "search/results", text=QUESTION, path="*", k=4).meta
    for mode in ("hybrid", "dense", "lexical"):
        printed, names = run_code(meta["codes"][mode])
        shown = [meta["passages"][number] for number in meta[mode]]
        assert [Path(hit.path).name for hit in names["hits"]] == [Path(each["path"]).name for each in shown]
        assert len(printed.splitlines()) == len(shown)
        found = names["index"].evidence(QUESTION, names["hits"])
        sums = [(why.cosine, why.scores.sum()) for why in found]
        np.testing.assert_allclose(sums, [(each["cosine"], each["bm25"]) for each in shown], atol=1e-5)


def test_code_of_a_table_in_no_file_makes_the_table(folder, run, ask) -> None:
    lab = world_choice("the cat sat\nthe dog sat\nTulips need water\nRoses need water", 8).open()
    run(folder, lab)
    meta = ask(folder, lab, "search/results", text="Tulips need water").meta
    _, names = run_code(meta["codes"]["dense"])
    shown = [meta["passages"][number]["cosine"] for number in meta["dense"]]
    assert [hit.score for hit in names["hits"]] == pytest.approx(shown, abs=1e-5)


def test_question_without_known_words_is_ranked_by_words_only(source, lab, ask) -> None:
    reply = ask(source, lab, "search/results", text="tulip")  # the table has "tulips" and "Tulips"
    assert (reply.meta["has_vector"], reply.meta["dense"]) == (False, [])
    assert reply.meta["lexical"] == reply.meta["hybrid"] != []
    assert ask(source, lab, "search/question", text="tulip").arrays["xy"].size == 0
    nothing = ask(source, lab, "search/results", text="zzz").meta
    assert (nothing["hybrid"], nothing["passages"]) == ([], [])


def test_map_is_the_pca_of_scikit_learn(source, lab, index, ask) -> None:
    reply = ask(source, lab, "search/map")
    found = index.vectors()
    reference = PCA(2).fit(found.vectors.astype(np.float64))
    np.testing.assert_allclose(
        np.abs(reply.arrays["positions"]), np.abs(reference.transform(found.vectors)), atol=1e-5
    )  # apart from the directions' signs
    np.testing.assert_allclose(reply.arrays["share"], reference.explained_variance_ratio_, atol=1e-6)
    query = rs.Encoder(lab.table).encode(["Roses need water"])
    xy = ask(source, lab, "search/question", text="Roses need water").arrays["xy"]
    np.testing.assert_allclose(np.abs(xy), np.abs(reference.transform(query / np.linalg.norm(query)))[0], atol=1e-5)
    _, names = run_code(reply.meta["code"])
    np.testing.assert_allclose(names["positions"], reply.arrays["positions"], atol=1e-6)
    files = [reply.meta["paths"][number] for number in reply.arrays["file"]]
    assert [str(source.path / file) for file in files] == found.paths


def test_map_leaves_out_passages_without_a_vector_and_has_at_most_so_many(tmp_path, lab, run, ask) -> None:
    texts = {"a.txt": "Tulips", "b.txt": "zzz", "c.txt": "Roses water", "d.txt": "bulbs need water"}
    write_files(tmp_path / "few", texts)
    run(tmp_path / "few", lab)
    reply = ask(tmp_path / "few", lab, "search/map")
    missing = np.isnan(reply.arrays["positions"]).any(axis=1)
    assert [reply.meta["paths"][reply.arrays["file"][at]] for at in np.flatnonzero(missing)] == ["b.txt"]
    reply = ask(tmp_path / "few", lab, "search/map", limit=3)
    assert (len(reply.arrays["positions"]), reply.meta["passages"]) == (3, 4)
    _, names = run_code(reply.meta["code"])
    assert names["positions"].shape == (3, 2)


def test_map_of_files_without_known_words_is_refused(tmp_path, lab, run, ask) -> None:
    write_files(tmp_path / "foreign", {"zzz.txt": "zzz yyy"})
    run(tmp_path / "foreign", lab)
    with pytest.raises(UsageError, match="no passage has a token with a row in this table; choose another table"):
        ask(tmp_path / "foreign", lab, "search/map")


def test_files_without_an_index_are_refused(folder, lab, ask) -> None:
    for route in ("search/results", "search/map", "search/question"):
        with pytest.raises(UsageError, match="these files have no index with this table; press Index"):
            ask(folder, lab, route, text="pip")


def test_wrong_pattern_is_refused(source, lab, ask) -> None:
    with pytest.raises(UsageError, match=r"path must be a pattern such as '\*.md' or 'docs/', not '!'"):
        ask(source, lab, "search/results", text="pip", path="!")
