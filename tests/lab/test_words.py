import pytest

from rowspace.errors import UnknownTokenError


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_neighbors_are_the_tables(lab, ask, check_code, metric: str) -> None:
    reply = check_code(lab, "words/neighbors", word="typeerror", metric=metric, k=7)
    expected = lab.table.neighbors("typeerror", metric=metric, k=7)
    assert list(zip(reply.meta["neighbors"], reply.arrays["scores"].tolist(), strict=True)) == expected


def test_row_is_the_tables(lab, check_code) -> None:
    assert check_code(lab, "words/row", word="sin").arrays["row"].tolist() == lab.table["sin"].tolist()


def test_an_unknown_word_is_refused_with_its_spellings(lab, ask) -> None:
    with pytest.raises(UnknownTokenError, match="did you mean 'typeerror'"):
        ask(lab, "words/row", word="typeerorr")
