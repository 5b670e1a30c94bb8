"""
A map of music
==============

Which of two artists is more like a third? 9,090 answers of this kind about 400 artists (Ellis and others, 2002) make a
map on which the large genres take sides: hard rock, pop for dancing, country and hip hop. 23 answers an artist are few,
and the middle, where artists are whom nobody placed clearly, is a mixture.

The survey may not be passed on with tete. Put ``music/music.npz`` into the folder that :func:`tete.datasets.load_music`
names, and this page is built from it; without the file it is built from invented answers about the instruments of an
orchestra.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from tete import TETE, plot_map
from tete.datasets import answer_by_distance, load_music, make_uniform_triplets
from tete.exceptions import MissingDataError

INSTRUMENTS = """violin strings 6 9 4, viola strings 5 9 4, cello strings 4 9 4, double bass strings 2 8 4,
harp strings 5 3 3, guitar strings 5 3 3, flute woodwind 7 8 3, piccolo woodwind 9 8 4, oboe woodwind 6 9 4,
cor anglais woodwind 5 9 4, clarinet woodwind 6 8 4, bassoon woodwind 3 8 4, saxophone woodwind 5 8 6,
trumpet brass 6 8 8, horn brass 4 8 6, trombone brass 3 8 8, tuba brass 1 8 8, timpani percussion 2 2 8,
snare drum percussion 5 1 7, bass drum percussion 1 1 8, cymbals percussion 8 2 8, triangle percussion 9 3 4,
xylophone percussion 8 1 4, marimba percussion 5 2 3, piano keyboard 5 3 5, celesta keyboard 8 3 2,
organ keyboard 5 9 7, harpsichord keyboard 6 2 3"""


def orchestra():
    """Instruments with pitch, sustain and loudness, compared by somebody who hears all three and hesitates."""
    entries = [entry.rsplit(maxsplit=4) for entry in INSTRUMENTS.replace("\n", " ").split(", ")]
    names, families = [entry[0] for entry in entries], [entry[1] for entry in entries]
    heard = np.array([entry[2:] for entry in entries], dtype=float)
    questions = make_uniform_triplets(heard, 3000, random_state=0)
    return answer_by_distance(heard, questions, sharpness=4, random_state=1).with_names(names), families


try:
    music = load_music()
    answers, kinds = music.triplets, np.asarray(music.target_names)[music.target]
except MissingDataError:
    answers, kinds = orchestra()
    print("Invented answers about an orchestra: the file of the survey is not here.")
print(answers)

# %%
# Temperatures are chosen by answers that are held out. The names are written wherever there is room.
model = TETE().fit(answers)
print(f"t = {model.t_}, t' = {model.t_prime_}, kernel: {model.kernel_}")
figure, axis = plt.subplots(figsize=(9, 7.5), layout="constrained")
plot_map(model.embedding_, labels=kinds, names=model.object_names_, axes=axis)
plt.show()

# %%
# Who is nearest to whom? Five objects that were drawn, not chosen. With so few answers some neighbours convince and
# others are chance: the map of artists is good for regions, not for recommending the next record.
places = model.embedding_
for number in np.random.default_rng(1).choice(len(places), 5, replace=False):
    nearest = np.argsort(np.linalg.norm(places - places[number], axis=1))[1:4]
    print(f"{model.object_names_[number]}: " + ", ".join(str(model.object_names_[other]) for other in nearest))
