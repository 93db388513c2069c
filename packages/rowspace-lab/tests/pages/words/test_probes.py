"""The probe's accuracies equal those of scikit-learn, and show what is in the rows and what is not."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rowspace_lab.pages.words.probes import LISTED, PROPERTIES, labels_of
from rowspace_lab.tables.english import ENGLISH, english_table

WORDS = [f"{stem}{end}" for stem in ("ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "tu") for end in ("s", "k")]


def test_property_that_is_in_the_rows_is_read_and_random_labels_are_not(small_lab, check_code) -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    rows[:, 1] += [8 if word.endswith("s") else -8 for word in WORDS]
    reply = check_code(small_lab(WORDS, rows), "words/probe", property="ends-in-s")
    assert reply.meta["accuracy"] == 1
    assert max(reply.meta["control"], reply.meta["majority"]) < 1
    assert reply.meta["found"] == [10, 10]
    assert set(reply.meta["examples"][0]) <= {word for word in WORDS if word.endswith("s")}


def test_accuracy_equals_that_of_scikit_learn(lab, ask) -> None:
    reply = ask(lab, "words/probe", property="frequent", seed=1)
    generator = np.random.default_rng(1)
    order = np.argsort(lab.table.counts, kind="stable")
    third = len(order) // 3
    drawn = [generator.permutation(np.sort(ids))[:1000] for ids in (order[-third:], order[:third])]
    each = min(map(len, drawn))
    rows = np.float64(lab.table.rows[np.concatenate([ids[:each] for ids in drawn])])
    labels = np.repeat([1, 0], each)
    mixed = np.array(sorted(range(2 * each), key=str))[np.random.default_rng(1).permutation(2 * each)]
    test, train = np.sort(mixed[: round(0.6 * each)]), np.sort(mixed[round(0.6 * each) :])
    scaler = StandardScaler().fit(rows[train])
    model = LogisticRegression(max_iter=1000).fit(scaler.transform(rows[train]), labels[train])
    expected = model.score(scaler.transform(rows[test]), labels[test])
    assert reply.meta["accuracy"] == expected
    assert (reply.meta["train"], reply.meta["test"]) == (len(train), len(test))
    assert reply.meta["accuracy"] > reply.meta["control"] + 0.2


def test_properties_of_words_ignore_marks_and_leave_out_other_tokens(small_lab) -> None:
    table = small_lab(["Ġcats", "▁Dog", "run", "7", "", "##ing"], np.eye(6)).table
    assert labels_of(table, "ends-in-s", []).tolist() == [1, 0, 0, -1, -1, -1]
    assert labels_of(table, "capital", []).tolist() == [0, 1, 0, -1, -1, -1]
    assert labels_of(table, "own", ["cats", "7"]).tolist() == [1, 0, 0, 1, 0, 0]
    assert labels_of(table, "frequent", []).tolist() == [-1] * 6


def test_own_group_is_probed(lab, check_code) -> None:
    group = [token for token in lab.table.vocabulary[200:800] if token.endswith("ing")]
    reply = check_code(lab, "words/probe", property="own", own=" ".join(["nosuchword", *group]))
    assert reply.meta["each"] == len(group) > 5
    assert 0 <= reply.meta["accuracy"] <= 1


def test_lists_of_words_are_apart_and_in_the_table() -> None:
    table = english_table()
    for texts in LISTED.values():
        words = " ".join(texts).split()
        assert len(words) == len(set(words))  # none is twice in a list, or in both
        assert min(sum(word in table for word in text.split()) for text in texts) >= 100
    assert labels_of(table, "noun", [])[[table.id(word) for word in ("castle", "remember", "the")]].tolist() == [
        1,
        0,
        -1,
    ]


@pytest.mark.parametrize("property", LISTED)
def test_rows_of_english_words_tell_part_of_speech_and_sentiment(ask, property: str) -> None:
    reply = ask(ENGLISH.open(), "words/probe", property=property)
    assert reply.meta["majority"] < 0.6
    assert reply.meta["accuracy"] > max(reply.meta["control"], reply.meta["majority"]) + 0.2


@pytest.mark.parametrize("property", PROPERTIES)
def test_too_few_words_are_counted_and_not_probed(small_lab, check_code, property: str) -> None:
    reply = check_code(small_lab(["cats", "dog", "the"], np.eye(3)), "words/probe", property=property)
    assert reply.meta["accuracy"] is None
    assert reply.meta["each"] < reply.meta["fewest"]
