"""One side of a training benchmark in a separate process: text file → saved table, with rowspace, gensim or fastText.

    python bench/side.py rowspace '{"corpus": "tokens.txt", "output": "ours.bin", "dim": 100, "seed": 1, "workers": 2}'

Prints one JSON object: seconds of each step, words read, and peak resident memory in MB. gensim is called as its
documentation recommends for speed: `corpus_file` with one sentence per line. fastText reads and trains in one call, so
its reading counts as training.
"""

import json
import re
import sys
import time
from pathlib import Path


def by_rowspace(job):
    from rowspace import fit
    from rowspace.learn import Reports

    began, encoded = time.perf_counter(), []
    reports = Reports(on_vocabulary=lambda _: encoded.append(time.perf_counter()))
    table = fit(
        job["corpus"], output=job["output"], dim=job["dim"], model=job["model"], epochs=1,
        workers=job["workers"], seed=job["seed"], reports=reports, subwords=job.get("subwords", False),
    )  # fmt: skip
    ended = time.perf_counter()
    learned = table.settings["seconds"]
    return table.settings["words"], encoded[0] - began, learned, ended - encoded[0] - learned


def by_gensim(job):
    from gensim.models import Word2Vec

    began = time.perf_counter()
    model = Word2Vec(
        vector_size=job["dim"], sg=int(job["model"] == "skipgram"), window=5, negative=5, sample=1e-3, min_count=5,
        workers=job["workers"], seed=job["seed"],
    )  # fmt: skip
    model.build_vocab(corpus_file=job["corpus"])
    counted = time.perf_counter()
    words = model.corpus_total_words
    model.train(corpus_file=job["corpus"], total_words=words, total_examples=model.corpus_count, epochs=1)
    trained = time.perf_counter()
    model.wv.save_word2vec_format(job["output"], binary=True)
    return words, counted - began, trained - counted, time.perf_counter() - trained


def by_fasttext(job):
    from fasttext import train_unsupervised

    began = time.perf_counter()
    model = train_unsupervised(
        job["corpus"], model=job["model"], dim=job["dim"], ws=5, neg=5, t=1e-3, minCount=5, minn=3, maxn=6,
        bucket=2_000_000, lr=0.05, epoch=1, thread=job["workers"], verbose=0,
    )  # fmt: skip
    trained = time.perf_counter()
    words = int(model.get_words(include_freq=True)[1].sum())
    model.save_model(job["output"])
    return words, 0.0, trained - began, time.perf_counter() - trained


def peak_memory():
    """Return the peak resident memory in MB from /proc/self/status; `getrusage` would include the parent process."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


SIDES = {"rowspace": by_rowspace, "gensim": by_gensim, "fastText": by_fasttext}


def main():
    side, job = sys.argv[1], json.loads(sys.argv[2])
    began = time.perf_counter()
    words, reading, learning, saving = SIDES[side](job)
    result = {
        "words": words,
        "reading": reading,
        "learning": learning,
        "saving": saving,
        "whole": time.perf_counter() - began,  # includes imports and loading kernels from the cache
        "peak_mb": peak_memory(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
