"""Peak memory does not grow with the source: measured in processes of their own, with outputs far above the bound."""

from pydoc_data.topics import topics

import pytest
from tests.memory import numbers_printed_by

# Encodes the number of texts given as the first argument, from the kind of source and into the output given as the
# second and third, and prints the increase of peak memory in bytes.
ENCODE = """
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
from tests.memory import peak

from rowspace.encode import Encoder, StreamOptions
from rowspace.table import Table
from rowspace.text import whitespace_json

WIDTH = 2048
words = ["the", "cat"]
table = Table(words, np.ones((2, WIDTH), np.float32), tokenizer=whitespace_json(words))
encoder = Encoder(table, workers=1).warm_up()
count, kind, out = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
if out.suffix == ".lance":
    import lancedb
if kind == "generator":
    source = (f"the cat {number}" for number in range(count))
elif kind == "lines":
    source = out.with_name("source.txt")
    with source.open("w") as file:
        file.writelines(f"the cat {number}\\n" for number in range(count))
else:
    import pyarrow as pa

    source = out.with_name("source.parquet")
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), ["the cat " * 99])
    pyarrow.parquet.write_table(pa.table({"t": repeated}), source)
encoder.encode_to(iter(["the cat"] * 20_000), out)
before = peak(os.getpid())
options = StreamOptions(column="t" if kind == "parquet" else None, keep_text=kind != "parquet")
encoder.encode_to(source, out, options=options)
print(peak(os.getpid()) - before)
"""


# Encodes the file given as the first argument into that given as the second, and prints the resident memory in bytes
# after a quarter of the file, and the largest since then.
ENCODE_FILE = """
import itertools
import os
import sys
from pathlib import Path

import numpy as np
from tests.memory import resident
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from rowspace.encode import Encoder
from rowspace.table import Table

source, out = map(Path, sys.argv[1:])
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
alphabet = pre_tokenizers.ByteLevel.alphabet()
trainer = trainers.BpeTrainer(vocab_size=4000, initial_alphabet=alphabet, show_progress=False)
with source.open() as file:
    tokenizer.train_from_iterator(itertools.islice(file, 2000), trainer)
vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.token_to_id)
rows = np.random.default_rng(0).standard_normal((len(vocabulary), 16), np.float32)
encoder = Encoder(Table(vocabulary, rows, tokenizer=tokenizer.to_str()), workers=1).warm_up()
total, sizes = source.stat().st_size, []
encoder.encode_to(source, out, on_progress=lambda done: sizes.append((done.bytes, resident(os.getpid()))))
later = [size for read, size in sizes if read >= total / 4]
assert sizes[-1][0] == total and len(later) > 100
print(later[0], max(later))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("lines", "v.npy"),
        pytest.param("generator", "v.parquet", marks=pytest.mark.long),
        pytest.param("parquet", "v.npy", marks=pytest.mark.long),
    ],
)
def test_peak_memory_is_a_fraction_of_the_output(tmp_path, kind, name):
    count = 60_000  # 490 MB of vectors; a batch has 17 MB
    (increase,) = numbers_printed_by(ENCODE, count, kind, tmp_path / name)
    assert increase < 100 << 20


@pytest.mark.long
def test_memory_is_flat_over_a_gigabyte_of_text(tmp_path):
    paragraphs = [" ".join(part.split()) for topic in topics.values() for part in topic.split("\n\n") if part.strip()]
    source = tmp_path / "source.txt"
    with source.open("w") as file:
        number = 0
        while file.tell() < 1_000_000_000:
            # With a word that no other line has, so that caches of words fill
            file.writelines(f"{text} {number}x{place}\n" for place, text in enumerate(paragraphs))
            number += 1
    quarter, largest = numbers_printed_by(ENCODE_FILE, source, tmp_path / "vectors.npy")
    source.unlink()  # pytest keeps the folder of the last runs
    (tmp_path / "vectors.npy").unlink()
    assert largest - quarter < 16 << 20
