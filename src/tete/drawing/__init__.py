"""Static pictures: maps, curves, names beside points, light and dark paper."""
