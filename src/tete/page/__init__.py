"""The interactive page of a map: one HTML file with everything inside."""
