"""The numbers and the questions of each lesson, in a module with the name of its text."""
