"""The addresses, one file for each family."""
