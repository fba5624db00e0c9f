"""Whether a position can be won, by which line, and how short one can be (docs/solver.md); see `api`."""
