"""Reads flows: checks them, gathers all problems, and builds the worlds they start from."""
