"""Learn rows for the modules of Python's standard library from the graph of their imports, and predict hidden imports.

An edge joins a module and one that it imports. The rows know neither names nor source code, only these edges.
"""

import numpy as np

import rowspace as rs
from rowspace_lab.tables.imports import library_imports

edges = library_imports()  # pairs of modules of which one imports the other
table = rs.fit_graph(edges, workers=1)
print(f"{len(table)} modules, {len(edges)} imports")
for module in ("json.decoder", "email.message", "asyncio.events", "xml.sax.handler"):
    print(f"{module}: {', '.join(near for near, _ in table.neighbors(module, k=5))}")

# Hide a fifth of the imports, and compare their cosines with those of as many random pairs of modules.
generator = np.random.default_rng(0)
order = generator.permutation(len(edges))
hidden, shown = ([edges[place] for place in places] for places in np.split(order, [len(edges) // 5]))
learned = rs.fit_graph(shown, workers=1)
random = generator.choice(sorted(learned), (len(hidden), 2)).tolist()


def cosines(pairs: list) -> np.ndarray:
    """Return the cosines of pairs of modules that are not imports the table has seen."""
    new = [(a, b) for a, b in pairs if a in learned and b in learned and a != b]
    units = learned.rows / learned.norms[:, np.newaxis]
    return (units[learned.ids([a for a, _ in new])] * units[learned.ids([b for _, b in new])]).sum(axis=1)


true, false = cosines(hidden), cosines(random)
auc = (true[:, np.newaxis] > false).mean()  # the chance that a hidden import has the larger cosine
print(f"{len(hidden)} hidden imports: AUC {auc:.2f}")
assert auc > 0.6
