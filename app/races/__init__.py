"""Races: players on one sealed deal at the same time, refereed by the server's clock and logs."""
