"""Ranking: leaderboards and statistics, from the results that games leave behind."""
