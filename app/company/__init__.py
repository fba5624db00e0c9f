"""Company at a game: those who play it together, those who look on, and the links by which they come."""
