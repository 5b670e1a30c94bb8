"""Data to try things on: generators of triplets with known truth and known noise."""

from tete.datasets.generators import answer_by_distance, assign_annotators, make_triplets, make_uniform_triplets

__all__ = ["answer_by_distance", "assign_annotators", "make_triplets", "make_uniform_triplets"]
