"""`rowspace compile`: all kernels into the cache, for the image of a container or a new machine."""

import os
import time
from typing import Any

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.warm import PARTS

__all__ = ["compile_kernels"]


def compile_kernels(*, as_json: AsJson = False) -> None:
    """Compile all kernels, so that no later command waits for them.

    Run it when the image of a container is built, and on a new machine of a cluster: the code is compiled for the
    processor of the machine, and cached next to the package or in NUMBA_CACHE_DIR. Kernels that are cached are not
    compiled again.

    Example:
      rowspace compile
    """
    if not as_json:
        message("compiling all kernels; this takes one to three minutes of one processor if none is cached")
    began, used = time.monotonic(), time.process_time()
    for warm in PARTS.values():
        warm()
    from rowspace._base.jit import KERNELS

    cache = _cache_of(KERNELS)
    seconds, processor = time.monotonic() - began, time.process_time() - used
    if as_json:
        print_json({"kernels": len(KERNELS), "cache": cache, "seconds": seconds, "processor_seconds": processor})
        return
    print_line(
        f"{len(KERNELS)} kernels are compiled: {processor:.1f} processor seconds, {seconds:.1f} s; cached in {cache}"
    )


def _cache_of(kernels: list[Any]) -> str:
    """Return the folder that has the cached code of all kernels; empty if nothing is compiled."""
    paths = [kernel.stats.cache_path for kernel in kernels if hasattr(kernel, "stats")]
    return os.path.commonpath(filter(None, paths)) if any(paths) else ""  # a kernel that was typed at a prompt has none
