"""Maps from features."""
