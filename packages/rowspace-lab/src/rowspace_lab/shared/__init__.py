"""Code that several pages share: default words, the text of a request, position modules, and listings."""
