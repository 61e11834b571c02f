"""The command line's commands, one family a file, each with its options."""
