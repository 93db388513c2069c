"""What several pages of the workbench use: default words, the sentence of a request, modules of positions."""
