"""Games: a sitting at one deal by one player, its log, and what the server makes of both."""
