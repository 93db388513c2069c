"""The route of what is known of a table's words besides their rows: the edges of their graph, and their groups."""

from collections.abc import Mapping

import numpy as np

from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.replies import GraphReply
from rowspace_lab.server.query import Query

__all__ = ["ROUTES", "groups_text"]


def graph(lab: Lab, _: Query) -> GraphReply:
    """Return the edges of the graph whose nodes the table has, and the known groups of its words; most have none."""
    ids = [(lab.table.id(one), lab.table.id(other)) for one, other in lab.edges]
    code = f"{lab.load_code}\nids = np.array([(table.id(one), table.id(other)) for one, other in edges])"
    return {
        "nodes": list(lab.table) if lab.edges else [],
        "ids": np.array(ids, np.int64).reshape(-1, 2),
        "groups": groups_text(lab),
        "code": f"import numpy as np\n{code}" if lab.edges else "",
    }


def groups_text(lab: Lab) -> str:
    """Return the known groups as a reader types them: a group per line, with "␣" for a blank of a word."""
    lines = [(name, " ".join(word.replace(" ", "␣") for word in words)) for name, words in lab.groups.items()]
    return "\n".join(f"{name}: {words}" for name, words in lines)


ROUTES: Mapping[str, Handler] = {"words/graph": graph}
