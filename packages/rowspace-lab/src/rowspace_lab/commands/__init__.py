"""The commands `lab`, `train`, `arena` and `merges` of `rowspace`, by entry points of the group rowspace.commands."""
