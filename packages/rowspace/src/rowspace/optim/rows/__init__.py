"""The rows of a parameter that are not up to date: which, since when, and how they catch up before they are read."""
