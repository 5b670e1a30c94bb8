"""Nearest neighbours: exact, in cells, or given."""
