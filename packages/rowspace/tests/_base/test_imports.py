"""Libraries that look for each other can be imported by two threads."""

import subprocess
import sys

import pytest

# Imports PyTorch while SciPy is close to the point at which it looks for PyTorch.
TWO_THREADS = """
import sys, threading
import numpy as np
from rowspace import space

def cluster():
    groups.append(space.k_means(np.eye(30), 3))

groups = []
thread = threading.Thread(target=cluster)
thread.start()
while thread.is_alive() and "scipy.stats._distribution_infrastructure" not in sys.modules:
    pass
import rowspace.layers
thread.join()
print(len(groups))
"""


@pytest.mark.long
def test_scikit_learn_and_pytorch_are_imported_by_two_threads() -> None:
    done = subprocess.run([sys.executable, "-c", TWO_THREADS], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")
