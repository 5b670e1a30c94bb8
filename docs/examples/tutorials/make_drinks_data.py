"""Make drinks.csv: what 24 invented guests say about 18 drinks; four toss coins or read the question wrongly."""

import numpy as np
import pandas as pd

DRINKS = """espresso 0 9 1 8, double espresso 0 10 1 8, americano 0 8 0 8, filter coffee 1 8 1 8, cappuccino 3 6 6 8,
latte 3 5 8 8, flat white 2 6 7 8, mocha 7 4 7 8, cocoa 9 1 7 8, chai 6 2 6 8, black tea 1 5 0 8, green tea 0 4 0 7,
mint tea 1 2 0 8, rooibos 2 2 0 8, iced tea 6 3 0 1, lemonade 8 0 0 1, orange juice 7 0 1 2, cola 9 2 0 1"""


def main() -> None:
    """Write the file beside this one."""
    entries = [entry.rsplit(maxsplit=4) for entry in DRINKS.replace("\n", " ").split(", ")]
    names = np.array([entry[0] for entry in entries])
    taste = np.array([entry[1:] for entry in entries], dtype=float)  # sweet, bitter, milky, hot
    rng = np.random.default_rng(0)
    lines = []
    for person in range(24):
        for _ in range(60):
            anchor, one, other = rng.choice(len(names), size=3, replace=False)
            gap = np.linalg.norm(taste[anchor] - taste[other]) - np.linalg.norm(taste[anchor] - taste[one])
            likely = 0.5 if person in {7, 15} else 0.02 + 0.96 / (1 + np.exp(-1.2 * gap))
            right = rng.random() < likely
            near, far = (one, other) if right != (person in {4, 19}) else (other, one)
            lines.append((names[anchor], names[near], names[far], f"guest {person + 1}"))
    pd.DataFrame(lines, columns=["anchor", "near", "far", "annotator"]).to_csv("drinks.csv", index=False)


if __name__ == "__main__":
    main()
