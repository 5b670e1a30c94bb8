"""The command demo: what the library does, on handwritten digits; `demo_digits` has the maps."""

from pathlib import Path
from typing import Annotated

import typer

from tete.cli import options
from tete.cli.messages import one_sentence, print_result

__all__ = ["demo"]


@one_sentence
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to write.")] = Path("tete-demo"),
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what it does on handwritten digits.

    Takes about a minute and downloads nothing. Maps 600 digits from 60,000 comparisons of which 0, 20 and 40 % are
    reversed, with t-STE and with t-ETE; then all 1,797 digits by their pixels.

    Example: tete demo
    """
    from tete.cli.demo_digits import FILES, digit_maps, pixel_map, refuse_overwriting, write_demo, write_pixels  # noqa: PLC0415

    refuse_overwriting(folder, force=force)
    silent = quiet or as_json
    print_result({}, "reversed  method  seconds  unseen answers  1-NN accuracy", False, silent)
    maps = []
    for each in digit_maps():
        row = f"{each.noise:7.0%}   {each.method:6}  {each.seconds:7.2f}  {each.accuracy:14.1%}"
        print_result({}, f"{row}  {each.neighbor_accuracy:13.1%}", False, silent)
        maps.append(each)
    write_demo(folder, maps, force=force)
    pixels = pixel_map()
    write_pixels(folder, pixels, force=force)
    took = f"{pixels.seconds:.1f} seconds (a first run compiles, too)"
    heading = f"\nBy their pixels: {len(pixels.labels):,} digits in {took}"
    written = [f"{folder / name}: {meaning}" for name, meaning in FILES.items()]
    result = {
        "maps": [each.as_dict() for each in maps],
        "pixels": {"seconds": pixels.seconds, **pixels.quality.as_dict()},
        "written": [str(folder / name) for name in FILES],
    }
    text = "\n".join([heading, str(pixels.quality), "", "Written:", *written])
    print_result(result, text, as_json, quiet)
