"""Small graph: a table of states of the USA, learned from random walks over their common borders.

A walk goes from a state to one of its neighbors, so states of one part of the country are near in many walks and get
similar rows. The names are never read. Alaska and Hawaii have no border with another state, so they have no row.
"""

from rowspace_lab.lab import Lab, Refit
from rowspace_lab.tables.choice import TableChoice

__all__ = ["REGIONS", "SMALL_GRAPH", "small_graph_edges"]

ID, TITLE = "small-graph", "Small graph"
BORDERS = {
    "Alabama": "Florida, Georgia, Mississippi, Tennessee",
    "Arizona": "California, Nevada, New Mexico, Utah",
    "Arkansas": "Louisiana, Mississippi, Missouri, Oklahoma, Tennessee, Texas",
    "California": "Nevada, Oregon",
    "Colorado": "Kansas, Nebraska, New Mexico, Oklahoma, Utah, Wyoming",
    "Connecticut": "Massachusetts, New York, Rhode Island",
    "Delaware": "Maryland, New Jersey, Pennsylvania",
    "Florida": "Georgia",
    "Georgia": "North Carolina, South Carolina, Tennessee",
    "Idaho": "Montana, Nevada, Oregon, Utah, Washington, Wyoming",
    "Illinois": "Indiana, Iowa, Kentucky, Missouri, Wisconsin",
    "Indiana": "Kentucky, Michigan, Ohio",
    "Iowa": "Minnesota, Missouri, Nebraska, South Dakota, Wisconsin",
    "Kansas": "Missouri, Nebraska, Oklahoma",
    "Kentucky": "Missouri, Ohio, Tennessee, Virginia, West Virginia",
    "Louisiana": "Mississippi, Texas",
    "Maine": "New Hampshire",
    "Maryland": "Pennsylvania, Virginia, Washington DC, West Virginia",
    "Massachusetts": "New Hampshire, New York, Rhode Island, Vermont",
    "Michigan": "Ohio, Wisconsin",
    "Minnesota": "North Dakota, South Dakota, Wisconsin",
    "Mississippi": "Tennessee",
    "Missouri": "Nebraska, Oklahoma, Tennessee",
    "Montana": "North Dakota, South Dakota, Wyoming",
    "Nebraska": "South Dakota, Wyoming",
    "Nevada": "Oregon, Utah",
    "New Hampshire": "Vermont",
    "New Jersey": "New York, Pennsylvania",
    "New Mexico": "Oklahoma, Texas",
    "New York": "Pennsylvania, Vermont",
    "North Carolina": "South Carolina, Tennessee, Virginia",
    "North Dakota": "South Dakota",
    "Ohio": "Pennsylvania, West Virginia",
    "Oklahoma": "Texas",
    "Oregon": "Washington",
    "Pennsylvania": "West Virginia",
    "South Dakota": "Wyoming",
    "Tennessee": "Virginia",
    "Utah": "Wyoming",
    "Virginia": "Washington DC, West Virginia",
}
"""The states that border on a state, each border once; states that only touch at a corner have no border."""
REGIONS = {
    "Northeast": "Connecticut, Maine, Massachusetts, New Hampshire, New Jersey, New York, Pennsylvania, Rhode Island, "
    "Vermont",
    "Midwest": "Illinois, Indiana, Iowa, Kansas, Michigan, Minnesota, Missouri, Nebraska, North Dakota, Ohio, "
    "South Dakota, Wisconsin",
    "South": "Alabama, Arkansas, Delaware, Florida, Georgia, Kentucky, Louisiana, Maryland, Mississippi, "
    "North Carolina, Oklahoma, South Carolina, Tennessee, Texas, Virginia, Washington DC, West Virginia",
    "West": "Arizona, California, Colorado, Idaho, Montana, Nevada, New Mexico, Oregon, Utah, Washington, Wyoming",
}
"""The states by the regions of the Census Bureau, which the walks do not know; they color the map."""
CODE = """\
import rowspace as rs
from rowspace_lab.tables.small_graph import small_graph_edges

edges = small_graph_edges()
table = rs.fit_graph(edges, dim=16, workers=1)"""


def small_graph_edges() -> list[tuple[str, str]]:
    """Return the pairs of states with a common border, each once, with Washington DC as a state.

    >>> len(small_graph_edges()), small_graph_edges()[0]
    (107, ('Alabama', 'Florida'))
    """
    return [(state, other) for state, others in BORDERS.items() for other in others.split(", ")]


def _opened() -> Lab:
    from rowspace.learn.graph.fit_graph import fit_graph  # imports Numba, which other tables do not need

    edges = small_graph_edges()
    groups = {region: tuple(states.split(", ")) for region, states in REGIONS.items()}
    refit = Refit(
        lambda seed: fit_graph(edges, dim=16, workers=1, seed=seed), "rs.fit_graph(edges, dim=16, workers=1, seed=seed)"
    )
    return Lab(fit_graph(edges, dim=16, workers=1), TITLE, ID, CODE, edges=tuple(edges), groups=groups, refit=refit)


SMALL_GRAPH = TableChoice(
    ID,
    TITLE,
    "48 states of the USA and Washington DC, learned from random walks over their 107 common borders.",
    "example",
    _opened,
)
