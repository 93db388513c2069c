import subprocess
import sys


def test_page_without_torch_names_the_extra():
    script = """
import sys
sys.modules["torch"] = None
import numpy as np, rowspace as rs
from rowspace.errors import MissingExtraError
from rowspace_lab import Lab
from rowspace_lab.pages import patches, positions
from rowspace_lab.server.query import Query
for answer in (*positions.PAGE.routes.values(), patches.PAGE.routes["patches/cut"]):
    try:
        answer(Lab(rs.Table(["a"], np.ones((1, 1))), "t"), Query())
    except MissingExtraError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["rowspace.layers needs PyTorch: pip install 'rowspace[torch]'"] * 4
