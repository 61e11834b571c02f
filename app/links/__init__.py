"""Links into Loopscope in other people's documents: found, derived again, and held against what was seen."""
