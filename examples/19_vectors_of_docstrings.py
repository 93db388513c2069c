"""Search, encode and serve: the docstrings of asyncio as a file of records, its vectors, an index, and a server."""

import ast
import asyncio
import csv
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import uvicorn

import rowspace as rs
from rowspace.encode.stream import StreamOptions, encode_to
from rowspace.search import Index
from rowspace.serve.embeddings import make_app

records = []
for file in sorted(Path(asyncio.__file__).parent.glob("*.py")):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            records.append({"id": f"{file.stem}:{node.lineno}", "name": node.name, "text": text})

encoder = rs.Encoder(rs.fit(dim=50, epochs=1))  # the words of the standard library
with tempfile.TemporaryDirectory() as folder:
    source = Path(folder, "docstrings.csv")
    with source.open("w", encoding="utf-8", newline="") as opened:
        rows = csv.DictWriter(opened, ["id", "name", "text"])
        rows.writeheader()
        rows.writerows(records)

    vectors = encode_to(encoder, source, Path(folder, "vectors.parquet"), options=StreamOptions(column="text"))
    print(f"{vectors.texts:,} docstrings in a file with the columns {', '.join(pq.read_schema(vectors.path).names)}")

    index = Index.build_records(source, encoder, Path(folder, "index"), title_column="name")
    hits = index.search("wait until a lock is released", k=3)
    for hit in hits:
        print(f"{hit.score:.3f}  {hit.id:20} {' '.join(hit.text.split())[:70]}")
    assert len(hits) == 3

server = uvicorn.Server(uvicorn.Config(make_app(encoder, model="words"), port=0, log_level="warning"))
thread = threading.Thread(target=server.run)
thread.start()
while not server.started:
    assert thread.is_alive()
    time.sleep(0.01)
port = server.servers[0].sockets[0].getsockname()[1]
body = json.dumps({"model": "words", "input": ["a lock", "an event loop"]}).encode()
client = http.client.HTTPConnection("127.0.0.1", port)
client.request("POST", "/v1/embeddings", body, {"Content-Type": "application/json"})
data = json.load(client.getresponse())["data"]
client.close()
server.should_exit = True
thread.join()
print(f"{len(data)} vectors of {len(data[0]['embedding'])} numbers from the server")
assert len(data) == 2
