"""Players: guests and accounts, their sessions and tokens, what they prefer. Knows nothing of games."""
