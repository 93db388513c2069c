"""From texts to a search by several workers: encode the standard library's docstrings, index its files, ask.

The engine is Ray if it is installed, with a cluster that is started here, else processes of this machine. On a cluster
of many machines only the names change: URLs in place of folders.
"""

import ast
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rowspace as rs
from rowspace.scale import PartsOptions, build_index, encode_parts

FOLDERS = ("email", "http", "json", "logging")
library = Path(sysconfig.get_path("stdlib"))
engine = "ray" if find_spec("ray") else "processes"
if engine == "ray":
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


def docstrings(file: Path) -> list[tuple[str, str]]:
    """Return the name and the docstring of each function and class of a file."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [(node.name, ast.get_docstring(node) or "") for node in nodes if isinstance(node, kinds)]


with tempfile.TemporaryDirectory() as name:
    work = Path(name)
    (work / "texts").mkdir()
    for folder in FOLDERS:
        found = [pair for file in sorted((library / folder).glob("*.py")) for pair in docstrings(file)]
        names, texts = zip(*found, strict=True)
        pq.write_table(pa.table({"name": names, "text": texts}), work / "texts" / f"{folder}.parquet")
    files = [library / folder for folder in FOLDERS]
    rs.fit(files, dim=64, epochs=5, workers=1).save(work / "table")
    encoder = rs.Encoder.load(work / "table", normalize=True)  # workers open it by its path

    options = PartsOptions(column="text")
    result = encode_parts(encoder, work / "texts", work / "vectors", options=options, on=engine, workers=2)
    print(f"{result.texts:,} docstrings in {result.parts} parts, encoded on {engine}")
    again = encode_parts(encoder, work / "texts", work / "vectors", options=options, on=engine, workers=2)
    print(f"a second run encodes {again.new_parts} parts")

    vectors = pq.read_table(work / "vectors" / "logging.parquet")
    rows = np.stack(vectors["vector"].to_numpy())
    best = int((rows @ encoder.encode("write a record to a file")).argmax())
    print(f"of logging, nearest to 'write a record to a file': {vectors['name'][best]}")

    index = build_index(files, encoder, work / "index", on=engine, workers=2)
    print(f"{len(index):,} passages of {len(index.files())} files")
    hit = index.search("parse the headers of a message", k=1)[0]
    print(f"'parse the headers of a message': {Path(hit.path).name}, {hit.name}")
