"""
Two ways to see the same faces
==============================

Some people judge portraits by who it is, others by the mood. One map of all answers shows the majority's view, and
makes the minority look careless, although it is as consistent as the others.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import MultiViewTETE, Triplets, plot_map
from tete.datasets import answer_by_distance, make_uniform_triplets

people, moods = ["Ada", "Ben", "Cleo", "Dan"], ["happy", "sad", "cross"]
portraits = [f"{person}, {mood}" for person in people for mood in moods]
rng = np.random.default_rng(0)
corners = np.array([[0, 0], [3, 1], [1, 4], [4, 4]])
by_person = np.repeat(corners, 3, axis=0) + rng.normal(scale=0.7, size=(12, 2))
by_mood = np.tile(corners[:3], (4, 1)) + rng.normal(scale=0.5, size=(12, 2))

# %%
# 16 people answer 150 questions each: 11 look at the person, 5 at the mood. The answers do not say who does what.
parts, annotators = [], []
for number in range(16):
    view = by_person if number < 11 else by_mood
    asked = make_uniform_triplets(view, 150, random_state=number)
    parts.append(answer_by_distance(view, asked, sharpness=6, random_state=number).to_array())
    annotators += [f"p{number + 1:02}"] * 150
answers = Triplets.from_array(np.concatenate(parts), names=portraits, annotators=annotators)

# %%
model = MultiViewTETE().fit(answers)
print(model.summary())

# %%
# Everybody is put into the right view. So it was in six of six draws of portraits and answers; with fewer answers, or
# a smaller minority, it would not be (see *limits* above). In the first map portraits of one person lie together, in
# the second those of one mood.
who, how = zip(*(portrait.split(", ") for portrait in portraits), strict=True)
figure, axes = plt.subplots(1, model.n_views_, figsize=(11, 4.6), layout="constrained")
for number, axis in enumerate(np.atleast_1d(axes)):
    size = int((model.view_of_ == number).sum())
    colored, named = (who, how) if number == 0 else (how, who)
    plot_map(model.embeddings_[number], labels=colored, names=named, title=f"view {number}: {size} people", axes=axis)
plt.show()
