"""Arenas: an hour of short races, in which all play as many as they like and points are counted."""
