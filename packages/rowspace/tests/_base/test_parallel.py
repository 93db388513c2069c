import os

import pytest

from rowspace._base.parallel import available_cores, map_ranges, split_range


def test_available_cores_respects_affinity_where_the_system_has_it(monkeypatch):
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {4, 7, 9})
        assert available_cores() == 3
        monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS and Windows
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


@pytest.mark.parametrize("total", [0, 1, 5, 1000])
@pytest.mark.parametrize("least", [1, 7, 2000])
def test_pieces_cover_the_range_and_have_the_minimum_size(total, least):
    for pieces in (None, 1, 3):
        ranges = split_range(total, minimum=least, pieces=pieces)
        assert [number for piece in ranges for number in range(*piece)] == list(range(total))
        assert len(ranges) == 1 or all(end - begin >= least for begin, end in ranges)
        assert pieces is None or len(ranges) <= pieces


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_results_come_in_order_of_the_ranges(threads):
    ranges = split_range(50, pieces=10)
    assert map_ranges(lambda begin, end: (begin, end), ranges, threads=threads) == ranges
    assert map_ranges(lambda *_: 1, [], threads=threads) == []
