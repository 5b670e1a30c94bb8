"""The paper's Weighted t-ETE: which triplets count how much, and the compiled loop over them."""
