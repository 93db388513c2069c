"""Benchmark of recommendations on held-out items, beside popularity and the package implicit; prints Markdown.

    python bench/items.py                          both data sets, five splits
    python bench/items.py --data debian --runs 1   one of them, one split
    python bench/items.py --small                  a few users, to try the script

Data: `debian`, the dependencies of Debian's packages (bench/debian.py; a package with five or more is a user), and
`generated`, interactions of a stated model with known truth: users and items have vectors of 16 normal numbers, and a
user draws items without replacement in proportion to exp(3 x·y / sqrt(16)) / (rank of the item's popularity). Its best
possible ranking, by the true probabilities, is measured too. Of each user's items, a fifth is held out. All sides learn
from the same four fifths, in turn, in one process, with `--threads` threads; the defaults were chosen on other splits
(seeds from 1000 on). `implicit` has the same dim and number of iterations and is measured with its own defaults and
with the confidence and the regularization of rowspace; it is left out where it is not installed. The two-tower model
takes 40 processor seconds for one fit, ten times as long as the others or more; `--without two-tower` leaves it out.
Processor seconds are those of all threads, which other work on the machine changes less.
"""

import argparse
import os
import platform
import statistics
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import rowspace as rs
from debian import packages
from rowspace.learn import ItemOptions, evaluate_items, hold_out, read_interactions
from rowspace.learn.items.evaluate import ranking_scores

K = 20
FACTORS = 16


class Data:
    """Interactions, with features and true scores where there are any."""

    def __init__(self, interactions, features=None, truth=None):
        self.interactions, self.features, self.truth = interactions, features or {}, truth


def debian(small):
    found = [package for package in packages() if len(package.depends) >= 5]
    found = found[:: 20 if small else 1]
    features = {package.name: (package.section, package.maintainer) for package in packages()}
    interactions = read_interactions({package.name: package.depends for package in found})
    return Data(interactions, {"item_features": features, "user_features": features})


def generated(small, seed=7):
    users, items = (500, 300) if small else (10_000, 3_000)
    generator = np.random.default_rng(seed)
    rows = [generator.normal(size=(size, FACTORS)) for size in (users, items)]
    popularity = -np.log(generator.permutation(items) + 1.0)
    truth, baskets = {}, {}
    for user in range(users):
        scores = 3 * rows[1] @ rows[0][user] / np.sqrt(FACTORS) + popularity
        drawn = np.argsort(-(scores + generator.gumbel(size=items)))  # Gumbel's trick: draws without replacement
        truth[f"u{user}"] = scores
        baskets[f"u{user}"] = [f"i{item}" for item in drawn[: min(items // 4, 5 + generator.geometric(1 / 20))]]
    return Data(read_interactions(baskets), truth=truth)


def by_rowspace(model, with_features=False, **options):
    def learn(data, learned, threads, seed):
        features = data.features if with_features else {}
        found = rs.fit_items(learned, model=model, workers=threads, seed=seed, **options, **features)
        return lambda held_out: evaluate_items(found, held_out, k=K)[:2]

    return learn


def by_popularity(data, learned, threads, seed):
    order = np.arange(len(learned.items))  # which are sorted by their counts
    return ranked(learned, lambda users: np.tile(-order.astype(float), (len(users), 1)))


def by_truth(data, learned, threads, seed):
    places = np.array([int(item[1:]) for item in learned.items])
    return ranked(learned, lambda users: np.stack([data.truth[user][places] for user in users]))


def by_implicit(**options):
    def learn(data, learned, threads, seed):
        from implicit.cpu.als import AlternatingLeastSquares
        from scipy.sparse import csr_matrix

        starts, ids, weights = learned.by_user
        matrix = csr_matrix((weights, ids, starts), shape=(len(learned.users), len(learned.items)))
        peer = AlternatingLeastSquares(ItemOptions().dim, num_threads=threads, random_state=seed, **options)
        peer.fit(matrix, show_progress=False)
        numbers = {user: number for number, user in enumerate(learned.users)}
        return ranked(learned, lambda users: peer.user_factors[[numbers[user] for user in users]] @ peer.item_factors.T)

    return learn


def ranked(learned, scores_of):
    """Return a function that measures scores (n, I) of users on held-out items."""

    def measure(held_out):
        known = {item: place for place, item in enumerate(learned.items)}
        found = []
        for start in range(0, len(held_out.users), 512):
            users = held_out.users[start : start + 512]
            scores = scores_of(users)
            for row, user in zip(scores, users, strict=True):
                row[learned.ids_of(learned.user_id(user))] = -np.inf
                best = np.argpartition(-row, K)[:K]
                target = np.array([known.get(item, -1) for item in held_out.of(user)])
                found.append(ranking_scores(best[np.argsort(-row[best], kind="stable")], target, K))
        return tuple(np.mean(found, axis=0))

    return measure


def sides(data):
    found = {
        "popularity": by_popularity,
        "item2vec": by_rowspace("item2vec"),
        "als": by_rowspace("als"),
        "two-tower": by_rowspace("two-tower"),
    }
    if data.features:
        found["two-tower with features"] = by_rowspace("two-tower", with_features=True)
    try:
        version("implicit")
        ours = ItemOptions()
        found["implicit, its defaults"] = by_implicit()
        found["implicit, options of als"] = by_implicit(alpha=ours.confidence, regularization=ours.regularization)
    except PackageNotFoundError:
        print("implicit is not installed: pip install implicit\n")
    if data.truth:
        found["the true probabilities"] = by_truth
    return found


def compare(name, data, options):
    """Learn with all sides in turn on each split, and print a table."""
    all_sides = {side: learn for side, learn in sides(data).items() if options.only in side}
    for left_out in options.without:
        all_sides = {side: learn for side, learn in all_sides.items() if left_out not in side}
    measured = {side: [] for side in all_sides}
    for run in range(options.runs):
        learned, held_out = hold_out(data.interactions, seed=run)
        order = list(all_sides)
        for side in order[run % len(order) :] + order[: run % len(order)]:
            began, busy = time.perf_counter(), time.process_time()
            measure = all_sides[side](data, learned, options.threads, run)
            seconds, processor = time.perf_counter() - began, time.process_time() - busy
            measured[side].append((seconds, processor, *measure(held_out)))
    users, items, pairs = len(data.interactions.users), len(data.interactions.items), data.interactions.size
    print(f"\n**{name}**: {users:,} users, {items:,} items, {pairs:,} pairs; {options.runs} splits\n")
    print(f"| | recall@{K} | NDCG@{K} | seconds to learn | processor seconds |\n|---|---|---|---|---|")
    for side, rows in measured.items():
        seconds, processor, *scores = zip(*rows, strict=True)
        shown = [f"{statistics.mean(each):.4f} ({min(each):.4f}–{max(each):.4f})" for each in scores]
        times = [f"{statistics.median(each):.1f} ({min(each):.1f}–{max(each):.1f})" for each in (seconds, processor)]
        print(f"| {side} | {' | '.join(shown + times)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=["debian", "generated"], help="only this one")
    parser.add_argument("--runs", type=int, default=5, help="splits")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side")
    parser.add_argument("--only", default="", help="only sides with this in their name")
    parser.add_argument("--without", nargs="*", default=[], help="no sides with one of these in their names")
    parser.add_argument("--small", action="store_true", help="few users")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {options.threads} threads"
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{machine}, load {load}, Python {platform.python_version()}, rowspace {version('rowspace')}")
    rs.fit_items([["a", "b"], ["a", "b"]], model="als")  # reads or compiles the kernels
    rs.fit_items([["a", "b"], ["a", "b"]], model="item2vec")
    for name, make in (("debian", debian), ("generated", generated)):
        if options.data in (None, name):
            compare(name, make(options.small), options)
    print(f"\nload at the end: {', '.join(f'{each:.1f}' for each in os.getloadavg())}")


if __name__ == "__main__":
    main()
