"""The six words of three numbers, as the lessons print them."""

import numpy as np

WORDS = ["the", "cat", "dog", "sat", "house", "on"]
ROWS = np.array(
    [
        [-0.12, 0.05, 0.88],
        [0.72, -0.41, 0.15],
        [0.68, -0.38, 0.22],
        [-0.55, 0.62, -0.03],
        [0.31, 0.15, -0.72],
        [-0.08, 0.11, 0.79],
    ],
    np.float32,
)
