"""
Wrong answers
=============
"""

# %%
# Two fifths of the answers are wrong.
import matplotlib.pyplot as plt

plt.plot([1, 2])
