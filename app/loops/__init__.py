"""One file per control loop, and the one list of them in `registry`."""
