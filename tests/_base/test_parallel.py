import os

from rowspace._base.parallel import available_cores


def test_available_cores_respects_affinity_where_the_system_has_it(monkeypatch):
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {4, 7, 9})
        assert available_cores() == 3
        monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS and Windows
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1
