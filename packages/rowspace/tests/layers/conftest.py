"""Leave out the tests that need a GPU on machines without one."""

import torch

collect_ignore = [] if torch.cuda.is_available() else ["test_cuda.py"]
