"""Spindel: a place to play patience, with the server as the only referee."""

__version__ = "0.1.0"
