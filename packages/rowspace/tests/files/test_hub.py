"""Names of the Hugging Face Hub, with a small server that has its interface."""

import json
import os
import subprocess
import sys
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from rowspace.table import Table

COMMIT = "a" * 40
OPEN = """
import sys, rowspace as rs
print(list(rs.load("some-org/some-table", download=sys.argv[1] == "yes").vocabulary))
"""


@pytest.fixture
def files(tmp_path):
    """The files of a repository: a table, and two files that must not be downloaded."""
    Table(["cat", "dog"], np.eye(2, dtype=np.float32)).save(tmp_path / "table")
    found = {path.name: path.read_bytes() for path in (tmp_path / "table").iterdir()}
    return found | {"pytorch_model.bin": b"pickle", "model.py": b"code"}


@pytest.fixture
def hub(files):
    """The address of the server, and the paths that it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.answer(with_body=False)

        def do_GET(self):
            self.answer(with_body=True)

        def answer(self, *, with_body):
            asked.append(self.path)
            body, status, headers = b'{"error": "Repository not found"}', 404, {"X-Error-Code": "RepoNotFound"}
            name = self.path.rpartition("/")[2]
            if self.path.startswith("/api/models/some-org/some-table"):
                siblings = [{"rfilename": each} for each in files]
                about = {"id": "some-org/some-table", "sha": COMMIT, "siblings": siblings}
                tree = [
                    {"type": "file", "path": each, "size": len(content), "oid": sha256(content).hexdigest()}
                    for each, content in files.items()
                ]
                body = json.dumps(tree if "/tree/" in self.path else about).encode()
                status, headers = 200, {"Content-Type": "application/json"}
            elif self.path.startswith(f"/some-org/some-table/resolve/{COMMIT}/") and name in files:
                body, status = files[name], 200
                headers = {"ETag": f'"{sha256(body).hexdigest()}"', "X-Repo-Commit": COMMIT}
            self.send_response(status)
            for key, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(key, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def run(command, tmp_path, endpoint, *, download, offline="0"):
    environment = os.environ | {
        "HF_HOME": str(tmp_path / "cache"),
        "HF_ENDPOINT": endpoint,
        "HF_HUB_OFFLINE": offline,
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "NO_PROXY": "127.0.0.1",
    }
    arguments = [sys.executable, "-c", command, "yes" if download else "no"]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)


def test_a_table_is_downloaded_only_when_asked_for_and_then_opens_from_the_cache(tmp_path, hub):
    endpoint, asked = hub
    first = run(OPEN, tmp_path, endpoint, download=False)
    assert "there is no file or folder 'some-org/some-table'; check the path; a model of the Hugging" in first.stderr
    assert asked == []
    second = run(OPEN, tmp_path, endpoint, download=True)
    assert (second.returncode, second.stdout) == (0, "['cat', 'dog']\n"), second.stderr
    names = {Path(path).name for path in asked}
    assert "model.safetensors" in names
    assert not names & {"pytorch_model.bin", "model.py"}
    asked.clear()
    third = run(OPEN, tmp_path, endpoint, download=False)
    assert (third.stdout, asked) == ("['cat', 'dog']\n", []), third.stderr


@pytest.mark.parametrize("offline", ["0", "1"])
def test_what_cannot_be_downloaded_is_one_sentence(tmp_path, hub, offline):
    command = OPEN.replace("some-table", "other-table")
    done = run(command, tmp_path, hub[0], download=True, offline=offline)
    assert "rowspace.errors.RowspaceError: some-org/other-table: cannot be downloaded from the Hugging" in done.stderr
