"""Commands between two machines: network namespaces with an address and a file of host names each, and one disk."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.scale.corpus import contents, write_texts
from tests.scale.fit.simulated import fit_on

import rowspace as rs
from rowspace.scale import PartsOptions, encode_parts

CAN_ISOLATE = (
    shutil.which("ip") is not None and not subprocess.run(["unshare", "--net", "true"], check=False).returncode
)
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CAN_ISOLATE, reason="the tests may not make network namespaces, for which they need root"),
]

# a shell command that gives a process other host names and an empty folder, as a machine with its own disk would have
BEGIN = 'mount --bind "$0" /etc/hosts && mount -t tmpfs none "$1" && shift && exec "$@"'
FIT = ["--dim", "8", "--epochs", "1", "--workers", "1"]


class Machine(NamedTuple):
    """One of the machines.

    Attributes:
        namespace: The name of its network.
        address: Its address.
        hosts: The file of the host names that it knows.
        own: A folder that is empty for each of its processes.
        log: The file of what its processes print.
    """

    namespace: str
    address: str
    hosts: Path
    own: Path
    log: Path

    def start(self, *command: str | Path, **variables: str) -> subprocess.Popen[str]:
        within = ["ip", "netns", "exec", self.namespace, "unshare", "--mount", "sh", "-c", BEGIN, self.hosts, self.own]
        with self.log.open("a") as log:
            env = os.environ | variables
            return subprocess.Popen(
                [*within, *command], env=env, stdout=log, stderr=log, text=True, start_new_session=True
            )

    def run(self, *command: str | Path, **variables: str) -> str:
        """Return what a command prints, and its exit status."""
        before = self.log.stat().st_size if self.log.exists() else 0
        status = self.start(*command, **variables).wait(timeout=400)
        return f"{self.log.read_bytes()[before:].decode()}exit status {status}"


def rowspace(*arguments: str | Path) -> list[str | Path]:
    return [sys.executable, "-W", "ignore", "-m", "rowspace", *arguments]


@pytest.fixture(scope="module")
def machines(tmp_path_factory) -> Iterator[tuple[Machine, Machine]]:
    """Two machines; the first is called "first", a name that, as in Debian, is that of its loopback device there."""
    folder = tmp_path_factory.mktemp("machines")
    names = [f"rowspace-{os.getpid()}-{number}" for number in (1, 2)]
    both = []
    with ExitStack() as stack:
        for name, address, hosts in zip(names, ("10.1.0.1", "10.1.0.2"), ("127.0.1.1", "10.1.0.1"), strict=True):
            ip("netns", "add", name)
            stack.callback(ip, "netns", "delete", name)
            stack.callback(end_processes, name)
            own = folder / f"own-{name}"
            own.mkdir()
            (folder / name).write_text(f"127.0.0.1 localhost\n{hosts} first\n")
            both.append(Machine(name, address, folder / name, own, folder / f"{name}.log"))
        ip("-n", names[0], "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", names[1])
        for machine in both:
            ip("-n", machine.namespace, "address", "add", f"{machine.address}/24", "dev", "wire")
            ip("-n", machine.namespace, "link", "set", "wire", "up")
            ip("-n", machine.namespace, "link", "set", "lo", "up")
        yield both[0], both[1]


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def end_processes(namespace: str) -> None:
    """Kill all processes of a machine, until there are no more."""
    while found := subprocess.check_output(["ip", "netns", "pids", namespace], text=True).split():
        subprocess.run(["kill", "-9", *found], check=False, stderr=subprocess.DEVNULL)
        time.sleep(0.1)


@pytest.mark.parametrize("address", ["first", "10.1.0.1"])
def test_processes_of_torchrun_find_each_other(machines, english, tmp_path, address):
    nodes = ["--nnodes", "2", "--nproc-per-node", "1", "--master-addr", address, "--master-port", "29500"]
    runs = [
        machine.start(
            *(sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *nodes, "--node-rank", str(rank)),
            *("-m", "rowspace", "fit", english, "-o", tmp_path / "table", *FIT),
        )
        for rank, machine in enumerate(machines)
    ]
    ended = [run.wait(timeout=400) for run in runs]  # longer than a process waits for the others
    assert ended == [0, 0], "\n".join(machine.log.read_text() for machine in machines)
    one, _ = fit_on(2, english, dim=8, epochs=1, workers=1)
    assert (rs.load(tmp_path / "table").rows == one.rows).all()


class TestRay:
    """A cluster whose machines have one processor each."""

    @pytest.fixture(scope="class")
    @classmethod
    def cluster(cls, machines) -> Iterator[dict[str, str]]:
        """The environment of commands that use the cluster."""
        first, second = machines
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a-token-of-this-test" * 2, "RAY_USAGE_STATS_ENABLED": "0"}
        # with ports that are given, the second machine does not wait for the files in which agents write theirs
        ports = ["--metrics-export-port=7001", "--dashboard-agent-listen-port=7002", "--dashboard-agent-grpc-port=7003"]
        start = [sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus=1", "--runtime-env-agent-port=7004"]
        folder = tempfile.mkdtemp(prefix="ray-")  # one of pytest would be too long for the names of sockets in it
        head = ["--head", "--port=6379", f"--node-ip-address={first.address}", f"--temp-dir={folder}"]
        other = [f"--address={first.address}:6379", f"--node-ip-address={second.address}"]
        for machine, options in ((first, [*head, "--include-dashboard=false"]), (second, other)):
            assert "Ray runtime started" in machine.run(*start, *ports, *options, **token)
        yield token | {"RAY_ADDRESS": f"{first.address}:6379"}
        for machine in machines:
            end_processes(machine.namespace)
        shutil.rmtree(folder)

    def test_vectors_are_those_of_one_process(self, machines, cluster, table_path, tmp_path):
        source = write_texts(tmp_path / "texts", files=6)
        encode_parts(table_path, source, tmp_path / "one", options=PartsOptions(column="text"), on=None)
        options = ["--table", table_path, "--column", "text", "-o", tmp_path / "out", "--on", "ray"]
        assert "300 texts × 6 float32 in 6 parts" in machines[0].run(*rowspace("encode", source, *options), **cluster)
        assert contents(tmp_path / "one") == contents(tmp_path / "out")

    def test_both_machines_learn(self, machines, cluster, english, tmp_path):
        options = ["-o", tmp_path / "table", *FIT, "--on", "ray", "--machines", "2"]
        assert "exit status 0" in machines[0].run(*rowspace("fit", english, *options), **cluster)
        one, _ = fit_on(2, english, dim=8, epochs=1, workers=1)
        assert (rs.load(tmp_path / "table").rows == one.rows).all()

    def test_path_that_one_machine_does_not_see_is_named(self, machines, cluster, english, tmp_path):
        first, second = machines
        text = shutil.copy(english, second.own / "text.txt")  # the second machine has a folder of its own there
        options = ["-o", tmp_path / "table", *FIT, "--on", "ray", "--machines", "2"]
        said = first.run(*rowspace("fit", text, *options), **cluster)
        assert f"does not see '{text}'; name paths that all machines see, or URLs" in said

    def test_command_with_another_token_says_so(self, machines, cluster, english, tmp_path):
        other = cluster | {"RAY_AUTH_TOKEN": "another-token-of-this-test"}
        said = machines[0].run(*rowspace("fit", english, "-o", tmp_path / "table", "--on", "ray"), **other)
        assert "rowspace: the cluster cannot be used (" in said
        assert "its token (RAY_AUTH_MODE and RAY_AUTH_TOKEN)" in said


def test_worker_of_dask_on_the_other_machine_writes_the_vectors_of_one_process(machines, table_path, tmp_path):
    first, second = machines
    dask, address = [sys.executable, "-m", "dask"], f"tcp://{first.address}:8786"
    source = write_texts(tmp_path / "texts", files=6)
    encode_parts(table_path, source, tmp_path / "one", options=PartsOptions(column="text"), on=None)
    options = ["--table", table_path, "--column", "text", "-o", tmp_path / "out", "--on", "dask"]
    with ExitStack() as stack:
        for machine, *command in ((first, "scheduler"), (second, "worker", address, "--nthreads", "1")):
            process = stack.enter_context(machine.start(*dask, *command, "--no-dashboard"))
            stack.callback(process.kill)
        said = first.run(*rowspace("encode", source, *options), DASK_SCHEDULER_ADDRESS=address)
    assert "300 texts × 6 float32 in 6 parts" in said
    assert contents(tmp_path / "one") == contents(tmp_path / "out")
