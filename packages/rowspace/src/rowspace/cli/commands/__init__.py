"""The commands, in a folder for each part of rowspace, one file each: parse, call, print."""
