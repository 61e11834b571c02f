"""What kubectl prints when no API server answers; the address, which nobody knows here, is left out."""

from __future__ import annotations

REFUSED = "The connection to the server was refused - did you specify the right host or port?"
"""Nothing listens."""
HUNG = "Unable to connect to the server: net/http: TLS handshake timeout"
"""Something listens and says nothing."""
