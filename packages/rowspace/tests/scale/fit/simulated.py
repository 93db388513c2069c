"""Several machines in one process: a thread for each, connected by gloo as processes are."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torch.distributed import HashStore

from rowspace.scale.fit.fit_machines import fit_machines
from rowspace.scale.fit.machines import Machines


def on_each(count, function):
    """Return what a function of `Machines` returns on each machine, or the exception that it raises."""
    store = HashStore()

    def run(rank: int) -> Any:
        try:
            return function(Machines(store, rank, count))
        except Exception as error:
            return error

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def fit_on(count, corpus, **options):
    """Return the table of each machine, or its exception."""
    return on_each(count, lambda machines: fit_machines(corpus, machines=machines, **options))
