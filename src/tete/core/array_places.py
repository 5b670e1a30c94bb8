"""What compiled loops say about places in arrays: that a number is not negative, what is read at once, what soon.

All are plain Python where nothing is compiled.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from tete.core.compilation import chosen_by_type

__all__ = ["in_words", "index", "read_soon"]

READ, KEEP, DATA = 0, 3, 1  # what the processor is asked for: not to write, into the nearest cache, no instructions


def index(number: Any) -> Any:
    """A whole number that is not negative, as a place in an array.

    Of an unsigned number nobody asks whether it counts from the end, a question that keeps short loops from being done
    in vectors. What is added to it must be unsigned as well: signed and unsigned numbers add up to real ones.
    """
    return int(number)


@chosen_by_type(index, {})
def _compile_index(number: Any) -> Any:
    def widened(number: Any) -> Any:
        return np.uint64(np.uint32(number))  # to widen without a sign is free

    def unsigned(number: Any) -> Any:
        return np.uint64(number)

    return widened if isinstance(number, types.Integer) and number.bitwidth == 32 else unsigned


def read_soon(table: Any, row: Any) -> None:
    """Say that a row of a table will be read soon, so that it is on its way from memory; a row of 128 bytes at most."""


@chosen_by_type(read_soon, {})
def _compile_read_soon(table: Any, row: Any) -> Any:
    def ask(table: Any, row: Any) -> None:
        _ask_for(table, row, 0)
        _ask_for(table, row, table.shape[1] - 1)

    return ask


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _ask_for(_: Any, table: Any, row: Any, column: Any) -> Any:
    """The processor's instruction for the memory around one number of a table."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        values = make_array(kinds[0])(context, builder, arguments[0])
        places = [
            context.cast(builder, place, kind, types.intp) for place, kind in zip(arguments[1:], kinds[1:], strict=True)
        ]
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = cgutils.get_item_pointer(context, builder, kinds[0], values, places, wraparound=False)
        call = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], call)
        builder.call(prefetch, [builder.bitcast(address, byte), *(whole(flag) for flag in (READ, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(table, row, column), generate


def in_words(places: Any) -> Any:
    """Places in the plane, each as one number of twice the size, which a processor loads at once."""
    return places.view(np.int64 if places.dtype == np.float32 else np.complex128)[:, 0]
