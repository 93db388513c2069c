"""`EncodeBatches` in Spark and in Daft, as the guide shows it, beside one process; prints Markdown.

    python bench/engines.py [--texts 400000]

The engines have an environment of their own, `build/engines`, which is made once (with pip); Spark needs Java 17. Each
side reads the same Parquet files of lines of the standard library, encodes them with a table learned from these lines,
and writes Parquet files. It runs twice in one process, and the second run counts, without starting the engine and
loading kernels. The vectors of each side are compared with those of `Encoder.encode`.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from importlib.metadata import version
from pathlib import Path

ENGINES = ("pyspark==4.3.0", "daft==0.7.26", "pandas<3")
CHECKOUT = Path(__file__).parents[1]
ENVIRONMENT = CHECKOUT / "build" / "engines"
DIM, FILES = 100, 8


def engines_python():
    """Return the Python of the engines' environment, which is made if it is missing."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        packages = [*ENGINES, f"{CHECKOUT / 'packages/rowspace'}[arrow]"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def prepare(folder, number):
    """Write the table and the texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import rowspace as rs

    files = sorted(Path(os.__file__).parent.rglob("*.py"))
    lines = (line for file in files for line in file.read_text("utf-8", "replace").split("\n") if len(line) > 20)
    texts = [line for _, line in zip(range(number), lines, strict=False)]
    rs.fit(texts, output=folder / "table", dim=DIM, epochs=1)
    (folder / "texts").mkdir()
    for part in range(FILES):
        pq.write_table(pa.table({"text": texts[part::FILES]}), folder / "texts" / f"{part}.parquet")
    return len(texts)


def in_one_process(source, table, out):
    import pyarrow.parquet as pq

    from rowspace.scale import EncodeBatches

    out.mkdir()
    encode = EncodeBatches(table)
    for file in sorted(source.iterdir()):
        pq.write_table(encode(pq.read_table(file)), out / file.name)


def in_spark(source, table, out):
    from pyspark.sql import SparkSession
    from pyspark.sql.types import ArrayType, FloatType, StructField, StructType

    from rowspace.scale import EncodeBatches

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.parquet(str(source))
    schema = StructType([*frame.schema, StructField("vector", ArrayType(FloatType()))])
    frame.mapInArrow(EncodeBatches(table), schema).write.parquet(str(out))


def in_daft(source, table, out):
    import daft

    from rowspace.scale import EncodeBatches

    encode = EncodeBatches(table)

    @daft.func.batch(return_dtype=daft.DataType.embedding(daft.DataType.float32(), DIM))
    def vector(texts: daft.Series):
        return encode.vectors(texts.to_pylist())

    frame = daft.read_parquet(f"{source}/*.parquet")
    frame.with_column("vector", vector(frame["text"])).write_parquet(str(out))


SIDES = {"one process": in_one_process, "Spark": in_spark, "Daft": in_daft}


def largest_difference(table, out):
    """Return the largest difference of a vector to that of `Encoder.encode`, and the number of texts."""
    import numpy as np
    import pyarrow.parquet as pq

    import rowspace as rs

    encoder, number, largest = rs.Encoder.load(table), 0, 0.0
    for file in sorted(out.glob("*.parquet")):
        found = pq.ParquetFile(file).read()
        vectors = np.array(found["vector"].combine_chunks().flatten()).reshape(len(found), DIM)
        largest = max(largest, float(np.abs(vectors - encoder.encode(found["text"].to_pylist())).max(initial=0)))
        number += len(found)
    return largest, number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=400_000)
    options = parser.parse_args()
    python = engines_python()
    if Path(sys.executable).parent != python.parent:
        subprocess.run([python, *sys.argv], check=True, env=os.environ | {"PYSPARK_PYTHON": str(python)})
        return
    packages = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "pyspark", "daft", "pyarrow", "numpy"))
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.python_version()}, {packages}"
    )
    print("\n| side | texts | seconds | texts/s | largest difference |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder, options.texts)
        for side, run in SIDES.items():
            for attempt in ("first", "second"):
                began = time.perf_counter()
                run(folder / "texts", folder / "table", folder / f"{side} {attempt}")
                seconds = time.perf_counter() - began
            difference, number = largest_difference(folder / "table", folder / f"{side} second")
            print(f"| {side} | {number:,} | {seconds:.1f} | {number / seconds:,.0f} | {difference:.1e} |", flush=True)


if __name__ == "__main__":
    main()
