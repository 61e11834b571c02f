"""Walks in words: steps, symptoms, verdicts, what kubectl would print, and the forms that other tools read."""
