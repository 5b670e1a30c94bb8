"""What to choose: dimension and temperatures, how many answers, which questions to ask next."""
