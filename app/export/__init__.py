"""Walks to take away: pictures, pages and reports that need no server."""
