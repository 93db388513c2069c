"""A bucket of S3 in this process, and a small table."""

import os
import random
import sys

import numpy as np
import pytest
from tests.search.s3_server import bucket_server

import rowspace as rs
from rowspace.text import whitespace_json

CHINESE = ["我们", "他们", "学习", "工作", "老师", "学生", "中国", "北京", "喜欢", "知道", "今天", "图书馆", "的", "在"]
WORDS = ["the", "cat", "dog", "sat", "on", "mat", "é", "안녕"]


@pytest.fixture(scope="module")
def bucket():
    """The URL of a bucket that is empty when a module begins."""
    with pytest.MonkeyPatch.context() as patch, bucket_server() as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield "s3://bucket"


@pytest.fixture(scope="session")
def table_path(tmp_path_factory):
    """The path of a saved table of `WORDS`."""
    path = tmp_path_factory.mktemp("tables") / "words"
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 6)).astype(np.float32)
    rs.Table(WORDS, rows, tokenizer=whitespace_json(WORDS)).save(path)
    return str(path)


@pytest.fixture
def chinese(tmp_path):
    """The path of a text in Chinese, which has no spaces between words."""
    chance = random.Random(3)
    lines = ["".join(chance.choices(CHINESE, k=chance.randint(3, 9))) for _ in range(1500)]
    path = tmp_path / "chinese.txt"
    path.write_text("。\n".join([*lines, "some words in English, and T恤"]))
    return path


@pytest.fixture(autouse=True, scope="session")
def _workers_find_this_checkout():
    """Let processes of engines import rowspace and these tests from here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        yield
