"""Which answers and people to believe, and how sure the places on a map are."""
