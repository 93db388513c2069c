"""The text of the Claims page: no number is typed, all links lead to a page, and each rule can give each verdict."""

import inspect
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from rowspace_lab.lessons.claims.measured import block_of, document, is_on_tables
from rowspace_lab.lessons.claims.on_tables import MEASURED_ON, field_of
from rowspace_lab.lessons.computed.claims import JOBS, MODULES, claim_function, claim_rule
from rowspace_lab.lessons.computed.claims.verdict import on_tables_verdict
from rowspace_lab.lessons.source import plain_text
from rowspace_lab.lessons.source.values import citations
from rowspace_lab.pages import PAGES
from rowspace_lab.tables.tables import BUILT_IN

NAMES = [block.argument for block in document().of("claim")]


def test_every_measurement_has_a_statement() -> None:
    assert sorted(NAMES) == sorted(MODULES)
    assert set(JOBS) <= set(MODULES)


def test_no_number_is_typed() -> None:
    for block in document().blocks:
        for part in block.parts if block.kind != "references" else ():
            assert not re.search(r"\d", plain_text(part)), f"line {block.line} has a typed number"


@pytest.mark.parametrize("name", NAMES)
def test_evidence_names_its_own_numbers_and_links_to_a_page(name: str) -> None:
    statement, evidence, *of_a_table = block_of(name).parts
    assert statement.endswith(".")
    assert {value.split(".")[0] for value in re.findall(r"\{=([^}:]+)", " ".join([evidence, *of_a_table]))} == {name}
    (link,) = re.findall(r"\[See it\]\(([^)]+)\)", evidence)
    address = urlsplit(link)
    assert address.path.strip("/") in {page.name for page in PAGES}
    assert {*parse_qs(address.query).get("table", [])} <= {choice.id for choice in BUILT_IN}


@pytest.mark.parametrize("name", NAMES)
def test_claim_about_tables_says_what_was_measured_on_each(name: str) -> None:
    measured_on_a_table = "table" in inspect.signature(claim_function(name)).parameters
    assert is_on_tables(name) == measured_on_a_table
    tables = {field_of(choice.id) for choice in MEASURED_ON}
    values = re.findall(r"\{=\w+\.(\w+)", block_of(name).parts[1]) if measured_on_a_table else []
    assert {*values} <= tables, "a number of a table must name the table"


def test_references_are_known() -> None:
    (references,) = document().of("references")
    assert set(references.parts[0].split()) <= set(citations()["works"])


VERDICTS = [
    ("coordinates", {"kept": 1.0, "peaked": 0.6, "noise": 0.1}, "false"),
    ("coordinates", {"kept": 1.0, "peaked": 0.9, "noise": 0.1}, "it depends"),
    ("coordinates", {"kept": 0.5, "peaked": 0.5, "noise": 0.1}, "true"),
    ("ids_as_numbers", {"by_id": 0.9, "by_row": 0.0, "excess": 1.0}, "false"),
    ("ids_as_numbers", {"by_id": 0.9, "by_row": 0.0, "excess": 9.0}, "it depends"),
    ("ids_as_numbers", {"by_id": 0.0, "by_row": 0.0, "excess": 0.0}, "true"),
    ("large_dot", {"shared": 0.99}, "true"),
    ("large_dot", {"shared": 0.6}, "it depends"),
    ("large_dot", {"shared": 0.3}, "false"),
    ("antonyms", {"share": 0.97}, "false"),
    ("antonyms", {"share": 0.7}, "it depends"),
    ("antonyms", {"share": 0.2}, "true"),
    ("queen", {"correct": True, "kept": 0.8}, "true"),
    ("queen", {"correct": True, "kept": 0.3}, "it depends"),
    ("queen", {"correct": False, "kept": 0.8}, "false"),
    ("word2vec_tokens", {"whole": 1.0, "unknown": 0, "written": 4}, "true"),
    ("word2vec_tokens", {"whole": 0.5, "unknown": 4, "written": 4}, "false"),
    ("word2vec_tokens", {"whole": 0.5, "unknown": 4, "written": 0}, "it depends"),
    ("fixed_rows", {"trainable": 1.0, "frozen": 0.0}, "false"),
    ("fixed_rows", {"trainable": 0.0, "frozen": 0.0}, "true"),
    ("fixed_rows", {"trainable": 1.0, "frozen": 0.5}, "it depends"),
    ("no_gradient", {"moved": [0.0, 0.1]}, "it depends"),
    ("no_gradient", {"moved": [0.0, 0.0]}, "true"),
    ("no_gradient", {"moved": [0.2, 0.1]}, "false"),
    ("unused_rows", {"taken": 0.1, "start": 0.5}, "false"),
    ("unused_rows", {"taken": 0.0, "start": 0.5}, "it depends"),
    ("unused_rows", {"taken": 0.0, "start": 0.0}, "true"),
    ("drowning", {"token": 1.0, "position": 16.0}, "false"),
    ("drowning", {"token": 40.0, "position": 16.0}, "true"),
    ("drowning", {"token": 14.0, "position": 16.0}, "it depends"),
    ("equal_norms", {"ratios": [1.41, 1.42]}, "false"),
    ("equal_norms", {"ratios": [1.01, 0.99]}, "true"),
    ("equal_norms", {"ratios": [1.01, 1.42]}, "it depends"),
    ("invariance", {"by_place": 0.5, "by_token": 1e-9}, "false"),
    ("invariance", {"by_place": 0.0, "by_token": 0.5}, "true"),
    ("invariance", {"by_place": 0.5, "by_token": 0.5}, "it depends"),
    ("longer_texts", {"sinusoid": 0.05, "rotary": 0.02}, "false"),
    ("longer_texts", {"sinusoid": 0.05, "rotary": -0.02}, "it depends"),
    ("longer_texts", {"sinusoid": -0.01, "rotary": 0.0}, "true"),
    ("llama_ties", {"tied": 2, "untied": 12}, "it depends"),
    ("llama_ties", {"tied": 2, "untied": 0}, "true"),
    ("llama_ties", {"tied": 0, "untied": 12}, "false"),
    ("large_tied", {"tied": 1, "untied": 40}, "false"),
    ("large_tied", {"tied": 0, "untied": 40}, "true"),
    ("large_tied", {"tied": 0, "untied": 0}, "it depends"),
    ("tying", {"change": 0.05, "noise": 0.02}, "false"),
    ("tying", {"change": -0.05, "noise": 0.02}, "false"),
    ("tying", {"change": 0.03, "noise": 0.02}, "true"),
    ("vit_sinusoids", {"parameters": 1}, "false"),
    ("vit_sinusoids", {"parameters": 0}, "true"),
    ("root_law", {"slope": 0.4, "error": 0.01}, "false"),
    ("root_law", {"slope": 0.48, "error": 0.01}, "true"),
    ("one_addition", {"changes": [0.5, 0.0], "spreads": [0.1]}, "false"),
    ("one_addition", {"changes": [0.5, 0.0], "spreads": [0.0]}, "it depends"),
    ("one_addition", {"changes": [0.5, 0.1], "spreads": [0.1]}, "true"),
    ("adding_enough", {"change": -0.05, "noise": 0.02}, "false"),
    ("adding_enough", {"change": -0.03, "noise": 0.02}, "true"),
    ("adding_enough", {"change": 0.05, "noise": 0.02}, "true"),
    ("orthogonal", {"sizes": [0.03, 0.09]}, "true"),
    ("orthogonal", {"sizes": [0.03, 0.2]}, "it depends"),
    ("orthogonal", {"sizes": [0.1, 0.2]}, "false"),
    ("contextual_soon", {"first": 0.9999, "share": 0.9}, "false"),
    ("contextual_soon", {"first": 0.9, "share": 0.5}, "true"),
    ("contextual_soon", {"first": 0.9, "share": 0.2}, "it depends"),
    ("normalized", {"share": 0.96}, "true"),
    ("normalized", {"share": 0.6}, "it depends"),
    ("normalized", {"share": 0.1}, "false"),
    ("analogies_models", {"change": -0.1, "noise": 0.04}, "true"),
    ("analogies_models", {"change": -0.1, "noise": 0.06}, "it depends"),
    ("analogies_models", {"change": 0.1, "noise": 0.04}, "false"),
    ("root_gradient", {"root": 16.0, "ratios": [16.0, 16.5]}, "true"),
    ("root_gradient", {"root": 16.0, "ratios": [16.0, 256.0]}, "it depends"),
    ("root_gradient", {"root": 16.0, "ratios": [1.0, 256.0]}, "false"),
    ("tied_better", {"changes": [-0.05, -0.03], "noises": [0.01, 0.01]}, "true"),
    ("tied_better", {"changes": [-0.05, -0.01], "noises": [0.01, 0.01]}, "it depends"),
    ("tied_better", {"changes": [-0.05, 0.03], "noises": [0.01, 0.01]}, "false"),
    ("smaller_tied", {"more": -0.05, "noise": 0.01}, "true"),
    ("smaller_tied", {"more": 0.05, "noise": 0.01}, "false"),
    ("smaller_tied", {"more": 0.05, "noise": 0.03}, "it depends"),
    ("tied_grouped", {"tables": 1, "tied": 3}, "false"),
    ("tied_grouped", {"tables": 1, "tied": 0}, "it depends"),
    ("tied_grouped", {"tables": 2, "tied": 3}, "true"),
    ("convolution", {"ratios": [0.8, 0.9]}, "true"),
    ("convolution", {"ratios": [0.8, 0.95]}, "it depends"),
    ("convolution", {"ratios": [1.0, 0.95]}, "false"),
    ("wider", {"changes": [-0.05, -0.03], "noises": [0.01, 0.001]}, "true"),
    ("wider", {"changes": [-0.05, -0.002], "noises": [0.01, 0.0001]}, "it depends"),
    ("wider", {"changes": [-0.05, -0.03], "noises": [0.01, 0.02]}, "it depends"),
    ("wider", {"changes": [0.05, -0.03], "noises": [0.01, 0.001]}, "false"),
]


def test_verdict_follows_from_the_numbers() -> None:
    for name, numbers, verdict in VERDICTS:
        module = claim_function(name).func.__globals__
        assert module[f"{name}_verdict"](**numbers) == verdict, f"{name} with {numbers}"
    assert {name for name, _, _ in VERDICTS} == set(MODULES)


def test_verdict_over_tables_is_the_one_that_all_give() -> None:
    for verdicts, expected in (
        (["false", "false", "false"], "false"),
        (["true", "true"], "true"),
        (["false", "false", "true"], "it depends"),
        (["it depends", "false", "false"], "it depends"),
    ):
        assert on_tables_verdict([{"verdict": each} for each in verdicts]) == expected, verdicts


@pytest.mark.parametrize("name", NAMES)
def test_rule_is_stated(name: str) -> None:
    assert re.match(r"(True|False) if .*\.$", claim_rule(name))
