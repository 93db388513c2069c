"""An index in an S3-compatible object store: only the connection string differs."""

import random
import re

import pytest
from tests.search.s3_server import bucket_server
from tests.search.samples import FILES, contents, make_table, write_files

from rowspace.encode import Encoder
from rowspace.errors import RowspaceError, UsageError
from rowspace.search import BridgeOptions, Index
from rowspace.search.storage.store import ChunkStore

PLACE = "s3://bucket/my/index"


@pytest.fixture
def _bucket(monkeypatch):
    with bucket_server() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.mark.long
@pytest.mark.usefixtures("_bucket")
def test_an_index_in_a_bucket_is_that_in_a_folder(folder, encoder, tmp_path):
    chance = random.Random(0)
    words = " ".join(FILES.values()).split()
    write_files(folder, {f"{number}.txt": " ".join(chance.choices(words, k=30)) for number in range(60)})
    with pytest.raises(UsageError, match="there is no index in 's3://bucket/my/index'; create it with rowspace index"):
        Index.open(PLACE)
    assert not Index.exists(PLACE)
    remote, local = (Index.build(folder, encoder, place) for place in (PLACE, tmp_path / "local"))
    assert contents(remote) == contents(local)
    assert remote.search("tulips water", path="*.txt") == local.search("tulips water", path="*.txt")
    (folder / "0.txt").write_text("autumn autumn")
    (folder / "1.txt").unlink()
    for index in (remote, local):
        summary = index.update()
        assert (summary.changed, summary.removed, summary.unchanged) == (1, 1, 63)
    assert contents(Index.open(PLACE, encoder)) == contents(local)

    new = Encoder(make_table(seed=1, dim=32))
    bridges = [index.build_bridge(new, options=BridgeOptions(kind="linear")).facts() for index in (remote, local)]
    assert bridges[0] == bridges[1]
    queried, queried_locally = Index.open(PLACE, new), Index.open(tmp_path / "local", new)
    assert queried.search("tulips water") == queried_locally.search("tulips water")

    class Broken(Encoder):
        def encode(self, texts):
            assert queried.search("tulips water") == queried_locally.search("tulips water")  # the old index answers
            raise RowspaceError("broken")

    before = contents(Index.open(PLACE))
    with pytest.raises(RowspaceError, match="broken"):
        Index.build(folder, Broken(new.table), PLACE)
    assert contents(Index.open(PLACE)) == before
    for index in (Index.build(folder, new, PLACE), Index.build(folder, new, tmp_path / "local")):
        assert index.bridge is None
    assert queried.search("tulips water") == queried_locally.search("tulips water")
    assert queried.bridge is None
    assert contents(Index.open(PLACE, new)) == contents(Index.open(tmp_path / "local", new))
    assert not ChunkStore.exists(f"{PLACE}/rebuild")


@pytest.mark.parametrize("endpoint", ["localhost:9000", "ftp://host", "http://", "http://[bad", "https://a host"])
@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT"])
def test_an_endpoint_that_is_no_url_is_refused(name, endpoint, monkeypatch):
    monkeypatch.setenv(name, endpoint)
    expected = f"{name} is {endpoint!r}, which is not a URL such as https://localhost:9000"
    with pytest.raises(UsageError, match=f"^{re.escape(expected)}$"):
        Index.open(PLACE)
