"""What every room stands on: types, checks, random numbers, threads, progress, minimising, geometry, matrices."""
