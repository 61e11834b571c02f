"""What outlives a request: sessions, their choices and notes, and manifests. Knows strings, not worlds."""
