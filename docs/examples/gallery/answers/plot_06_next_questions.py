"""
What to ask next
================

Answers cost time. Which of the questions that nobody has asked would teach most about the map?
"""

# %%
# 40 named colours, compared by people whom we invent: they see hue and lightness, and hesitate where it is close.
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import CSS4_COLORS, rgb_to_hsv, to_rgb

from tete import TETE, Triplets, suggest
from tete.datasets import answer_by_distance, make_uniform_triplets

rng = np.random.default_rng(3)
names = sorted(rng.choice([name for name in CSS4_COLORS if "grey" not in name], 40, replace=False))
red_green_blue = np.array([to_rgb(name) for name in names])
hue, saturation, value = rgb_to_hsv(red_green_blue).T
seen = np.column_stack([saturation * np.cos(2 * np.pi * hue), saturation * np.sin(2 * np.pi * hue), 0.7 * value])


def ask(questions, seed):
    """Let somebody answer rows (anchor, one, other)."""
    return answer_by_distance(
        seen, Triplets.from_array(questions, n_objects=40, names=names), sharpness=5, random_state=seed
    )


answers = ask(make_uniform_triplets(seen, 400, random_state=0).to_array(), 0)
model = TETE().fit(answers)

# %%
# ``suggest`` fits maps to parts of the answers. Where they disagree about a question, its answer is worth asking for;
# ``bits`` is what it would teach, at most 1.
questions = suggest(model, answers, n_questions=200)
print(questions.head(6).to_string(index=False, float_format="%.2f"))

# %%
# Ask 500 more questions, in batches of 100: those suggested, or random ones, in three studies each. The curve is the
# share of true answers that the map predicts. With few answers, choosing helps; on some data (the music survey is
# one) it makes no difference.
truth = make_uniform_triplets(seen, 4000, random_state=7)
number = {name: place for place, name in enumerate(names)}
curves = {"suggested": [], "random": []}
for kind, found in curves.items():
    for study in range(3):
        known, curve = ask(make_uniform_triplets(seen, 400, random_state=study).to_array(), study), []
        for batch in range(6):
            model = TETE(t=2, t_prime=1.5).fit(known)
            curve.append(model.score(truth))
            seed = 100 * study + batch
            if kind == "suggested":
                table = suggest(model, known, n_questions=100, random_state=seed)
                rows = table[["center", "left", "right"]].map(number.get).to_numpy()
            else:
                rows = make_uniform_triplets(seen, 100, random_state=1000 + seed).to_array()
            known = Triplets.concatenate([known, ask(rows, seed)])
        found.append(curve)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for kind, color in {"suggested": "#d1495b", "random": "#7a8b99"}.items():
    left.plot(400 + 100 * np.arange(6), np.mean(curves[kind], axis=0), marker="o", color=color, label=kind)
    left.plot(400 + 100 * np.arange(6), np.transpose(curves[kind]), color=color, alpha=0.25, lw=1)
left.set(xlabel="answers", ylabel="true answers predicted")
left.legend(frameon=False, title="questions")
left.spines[["top", "right"]].set_visible(False)
right.scatter(*model.embedding_.T, s=260, c=red_green_blue, edgecolor="0.4", linewidth=0.5)
right.set(xticks=[], yticks=[], title="the map of all answers", aspect="equal")
plt.show()
