"""Workers and drivers that are killed at random: the files are those of a run without kills."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.scale.corpus import contents, write_texts
from tests.search.samples import FILES, contents as index_contents, make_table, write_files

from rowspace.scale import PartsOptions, build_index, encode_parts
from rowspace.search import Index

TEXT = PartsOptions(column="text")
DRIVER = """
import sys
from rowspace.scale import PartsOptions, build_index, encode_parts
from rowspace.search import Index
encode_parts(*sys.argv[1:4], options=PartsOptions(column="text"), on="processes", workers=2)
"""


def children_of(process):
    """The ids of the processes that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_worker = "worker_process" in (folder / "cmdline").read_text()
        except (OSError, ValueError):  # it has ended
            continue
        if parent == process and is_worker:
            found.append(int(folder.name))
    return found


def kill_workers(chance, number, is_over):
    """Kill workers of this process, one at a time, until `number` are killed; return how many were."""
    killed = 0
    while killed < number and not is_over.wait(chance.uniform(0.1, 0.6)):
        workers = children_of(os.getpid())
        if workers:
            os.kill(chance.choice(workers), signal.SIGKILL)
            killed += 1
    return killed


def check_killed_workers(tmp_path, table_path, number):
    source, chance, killed, round_ = write_texts(tmp_path / "texts", files=6, rows=20_000), random.Random(0), 0, 0
    encode_parts(table_path, source, tmp_path / "whole", options=TEXT, on=None)
    while killed < number:
        round_ += 1
        is_over, counts = threading.Event(), []
        wanted = min(2, number - killed)  # a part may lose its worker three times
        killer = threading.Thread(target=lambda n=wanted, e=is_over, c=counts: c.append(kill_workers(chance, n, e)))
        killer.start()
        try:
            encode_parts(table_path, source, tmp_path / f"out{round_}", options=TEXT, on="processes", workers=2)
        finally:
            is_over.set()
            killer.join()
        killed += counts[0]
        assert contents(tmp_path / f"out{round_}") == contents(tmp_path / "whole")
        assert not list((tmp_path / f"out{round_}").glob(".*"))


def check_killed_drivers(tmp_path, table_path, number):
    source, chance = write_texts(tmp_path / "texts", files=6, rows=20_000), random.Random(1)
    encode_parts(table_path, source, tmp_path / "whole", options=TEXT, on=None)
    for round_ in range(number):
        out = tmp_path / f"out{round_}"
        with subprocess.Popen([sys.executable, "-c", DRIVER, table_path, source, out]) as driver:
            while driver.poll() is None and not list(out.glob("*.parquet")):
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 0.5))  # not waiting for anything: the random delay is what the test varies
            workers = children_of(driver.pid)
            driver.kill()
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            time.sleep(0.02)
        done = {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
        assert done
        result = encode_parts(table_path, source, out, options=TEXT, on=None)
        assert result.new_parts == 6 - len(done)
        assert result.texts == 120_000
        assert {path: path.stat().st_mtime_ns for path in done} == done
        assert contents(out) == contents(tmp_path / "whole")
        assert not list(out.glob(".*"))


@pytest.mark.long  # as the kills of workers
def test_a_killed_driver_is_continued(tmp_path, table_path):
    check_killed_drivers(tmp_path, table_path, 1)


@pytest.mark.long
def test_a_worker_killed_while_it_indexes_leaves_no_row(tmp_path):
    make_table().save(tmp_path / "table")
    words = " ".join(FILES.values()).split()
    files = {f"{number}.txt": " ".join(random.Random(number).choices(words, k=3_000)) for number in range(60)}
    write_files(tmp_path / "files", files)
    one = Index.build(tmp_path / "files", str(tmp_path / "table"), tmp_path / "one")
    is_over, counts = threading.Event(), []
    killer = threading.Thread(target=lambda: counts.append(kill_workers(random.Random(2), 2, is_over)))
    killer.start()
    made = build_index(tmp_path / "files", str(tmp_path / "table"), tmp_path / "made", on="processes", workers=2)
    is_over.set()
    killer.join()
    assert counts[0] > 0
    assert index_contents(made) == index_contents(one)


@pytest.mark.long
def test_twenty_killed_workers_and_five_drivers_lose_nothing(tmp_path, table_path):
    check_killed_workers(tmp_path / "workers", table_path, 20)
    check_killed_drivers(tmp_path / "drivers", table_path, 5)
