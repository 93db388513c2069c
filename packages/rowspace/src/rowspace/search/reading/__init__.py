"""Files → passages: which files, their text and sections, and the process that parses them."""
