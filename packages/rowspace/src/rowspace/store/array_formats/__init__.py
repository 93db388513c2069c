"""Tables as plain arrays and columns: NumPy's .npy and .npz, Parquet and Arrow."""
