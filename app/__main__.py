"""`python -m app` is the same command as `loopscope`."""

from app.cli import main

raise SystemExit(main())
