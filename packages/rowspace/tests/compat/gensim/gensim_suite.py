"""Runs gensim's own test files, which its wheel carries, against `rowspace.compat.gensim`: only imports are replaced.

As a script it prints how each test ended, as JSON: python gensim_suite.py [test_word2vec ...]. With --gensim the tests
run against gensim itself.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

MODULES = ("test_keyedvectors", "test_word2vec", "test_fasttext", "test_phrases", "test_doc2vec")
OURS = "rowspace.compat.gensim.models"

# Compiled modules of gensim have no counterpart: the tests of these test gensim. The n-gram functions have one.
REPLACED = (
    ("gensim.models", OURS),
    (f"{OURS}._fasttext_bin", "gensim.models._fasttext_bin"),
    (f"{OURS}.word2vec_corpusfile", "gensim.models.word2vec_corpusfile"),
    (f"{OURS}.fasttext_inner", f"{OURS}.fasttext"),
    ("FastTextKeyedVectors, _unpack", "FastTextKeyedVectors"),
    ("gensim.test.test_word2vec", "test_word2vec"),
)

# The tests read log messages with a decorator of a library that is not needed otherwise.
TESTFIXTURES = """
import functools
import logging


class Captured(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())

    def __str__(self):
        return "\\n".join(self.lines)


def log_capture():
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            handler, root = Captured(), logging.getLogger()
            level = root.level
            root.addHandler(handler)
            root.setLevel(logging.DEBUG)
            try:
                return test(self, handler)
            finally:
                root.removeHandler(handler)
                root.setLevel(level)

        del run.__wrapped__
        return run

    return decorate
"""


def run_suite(modules: tuple[str, ...] = MODULES, *, ours: bool = True) -> dict[str, str]:
    """Return "passed", "skipped" or "failed: ..." for each test, named module::class::test."""
    spec = find_spec("gensim")
    assert spec is not None
    assert spec.origin is not None
    tests = Path(spec.origin).parent / "test"
    with tempfile.TemporaryDirectory() as folder:
        for module in dict.fromkeys((*modules, "test_word2vec")):
            source = (tests / f"{module}.py").read_text("utf-8")
            for old, new in REPLACED if ours else ():
                source = source.replace(old, new)
            start = "import gensim.test.utils\nimport gensim.utils\n" if ours else ""
            source = source.replace("import logging\n", f"import logging\n{start}", 1)
            Path(folder, f"{module}.py").write_text(source, "utf-8")
        Path(folder, "testfixtures.py").write_text(TESTFIXTURES, "utf-8")
        Path(folder, "pytest.ini").write_text("[pytest]\n", "utf-8")
        report = Path(folder, "report.xml")
        files = [f"{module}.py" for module in modules]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:randomly",
            "-p",
            "no:random_order",
            f"--junitxml={report}",
            *files,
        ]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, *sys.path])}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert report.exists(), done.stdout + done.stderr
        return _outcomes(report)


def _outcomes(report: Path) -> dict[str, str]:
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}".replace(".", "::")
        if name.startswith("test_fasttext::TestWord2VecModel::"):
            continue  # imported there, and run again
        outcomes[name] = "passed"
        for child in case:
            if child.tag in ("failure", "error"):
                outcomes[name] = f"failed: {(child.get('message') or '')[:300]}"
            elif child.tag == "skipped":
                outcomes[name] = "skipped"
    return outcomes


if __name__ == "__main__":
    names = tuple(name for name in sys.argv[1:] if not name.startswith("--"))
    print(json.dumps(run_suite(names or MODULES, ours="--gensim" not in sys.argv), indent=1))
