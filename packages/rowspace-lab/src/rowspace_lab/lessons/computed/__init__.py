"""The functions that compute the numbers and the answers of each lesson, in a module per lesson."""
