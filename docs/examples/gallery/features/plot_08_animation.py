"""
How a map comes about
=====================

``callback`` sees the map after every iteration: here it keeps some of them, and an animation plays them.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

from tete import ListwiseTETE
from tete.datasets import load_digits

digits = load_digits()
steps = []


def keep(iteration, value, embedding):
    """Keep a copy of the map; whoever returns True here ends the fit."""
    if len(steps) < 15 or iteration % 12 == 0:
        steps.append(np.array(embedding))


ListwiseTETE(random_state=0, callback=keep).fit(digits.data)
print(len(steps), "maps")

# %%
# The map grows from principal components; groups part first, their insides are sorted last.
figure, axis = plt.subplots(figsize=(4.4, 4.4), layout="constrained")
axis.set(xticks=[], yticks=[])
points = axis.scatter(*steps[0].T, c=digits.target, cmap="tab10", s=5)


def draw(number):
    """Show one step, as large as the picture."""
    step = steps[min(number, len(steps) - 1)]
    points.set_offsets(step)
    reach = 1.05 * np.abs(step).max()
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach))


animation = FuncAnimation(figure, draw, frames=len(steps) + 8)
plt.show()
