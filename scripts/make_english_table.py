"""Learns the workbench's table of English words from books, and writes english.npz beside its code.

    python scripts/make_english_table.py books.txt.xz

Each book in the text begins with a line "# Title: ...". The rows of all words are learned, and those of the words that
occur in most books are kept, so that few names of characters are among them. One thread learns, so that the same text
gives the same rows. The books are not part of the repository.
"""

import argparse
import lzma
import re
from collections import Counter
from pathlib import Path

import numpy as np

import rowspace as rs
from rowspace import space

OUTPUT = Path(__file__).parents[1] / "packages/rowspace-lab/src/rowspace_lab/tables/english.npz"
WORDS = 10_000
LEFT_OUT = {"nigger"}  # insults
ROMAN = re.compile("(?=[ivx]{2})x{0,3}(ix|iv|v?i{0,3})")  # of chapters


def is_word(token: str) -> bool:
    """Whether the token is a word to show: not a number, a letter other than a, i and o, or an insult."""
    letters = token.replace("'", "")
    is_listed = token in LEFT_OUT or ROMAN.fullmatch(token)
    return letters.isalpha() and (len(letters) > 1 or token in "aio") and not is_listed


def main() -> None:
    """Learn the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", help="a text file, compressed with xz, with an empty line between paragraphs")
    path = parser.parse_args().books
    table = rs.fit(path, epochs=10, sentences="paragraph", workers=1, seed=1)
    with lzma.open(path, "rt", encoding="utf-8") as file:
        books = re.split("^# title: ", file.read().lower(), flags=re.MULTILINE)[1:]
    books_with = Counter(word for book in books for word in set(re.findall(r"[\w']+", book)))
    by_books = sorted(range(len(table)), key=lambda id: -books_with[table.vocabulary[id]])
    kept = sorted([id for id in by_books if is_word(table.vocabulary[id])][:WORDS])
    rows = table.rows[kept]
    quantized = space.quantize(rows, "int8")
    np.savez_compressed(
        OUTPUT,
        words=np.array(" ".join(table.vocabulary[id] for id in kept)),
        codes=quantized.codes,
        scales=quantized.scales,
        counts=table.counts[kept].astype(np.uint32),
        map=space.umap(rows).astype(np.float16),
    )
    fewest = min(books_with[table.vocabulary[id]] for id in kept)
    print(f"{OUTPUT}: {OUTPUT.stat().st_size:,} bytes; each word is in at least {fewest} of {len(books)} books")


if __name__ == "__main__":
    main()
