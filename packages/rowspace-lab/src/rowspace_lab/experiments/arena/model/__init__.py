"""A strategy learns a task: the form of its input, batches, the model, a run of a given compute."""
