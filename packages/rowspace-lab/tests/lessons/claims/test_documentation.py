"""The claims as a page of the documentation, which `scripts/make_tutorials.py` writes."""

import re
from pathlib import Path
from typing import Any

import pytest

from rowspace_lab.lab import Lab
from rowspace_lab.lessons.claims import PAGE
from rowspace_lab.lessons.computed.claims import JOBS, MODULES, STORED
from rowspace_lab.server.query import Query

PAGE_OF_CLAIMS = Path(__file__).parents[5] / "docs" / "claims.md"


@pytest.mark.long
def test_each_claim_has_the_verdict_and_the_rule_of_the_workbench(world_lab: Lab) -> None:
    parts = PAGE_OF_CLAIMS.read_text(encoding="utf-8").split("\n## ")[1:]
    written = [part.partition("\n\n") for part in parts if not part.startswith("References")]
    listed: Any = PAGE.routes["lessons/claims"](world_lab, Query({}))["claims"]
    assert len(written) == len(listed) == len(MODULES)
    for (statement, _, text), claim in zip(written, listed, strict=True):
        plain = re.sub(r"[*`]", "", statement)
        assert f"{plain}." == re.sub(r"<[^>]+>", "", claim["statement"])
        assert "—" not in text, f"{plain}: a number is missing"
        reply: Any = PAGE.routes["lessons/claim"](world_lab, Query({"name": [claim["name"]]}))
        assert text.startswith(f"**{reply['verdict'].capitalize()}.** ")
        rows = re.findall(r"^\| (.+?) \| .+ \| (.+?) \|$", text, re.MULTILINE)[1:]
        assert rows == [(row["title"], row["verdict"]) for row in reply["tables"]]
        assert ("by `python scripts/make_claims.py" in text) == bool(reply["computed"])
        assert text.rstrip().endswith(f"*The rule:* {reply['rule']}")
    assert {claim["name"] for claim in listed if claim["job"]} == {*JOBS, *STORED}
