"""Random numbers without a state: a hash of (seed, stream, substream, slot), the same in any order and on any thread.

Three rounds of multiplying and shifting, with odd multipliers below 2^31 so that no product leaves 63 bits: the code
gives the same bits compiled and as plain Python. These bits are part of what a seed means, so the functions must not
change; that is why compiled code in other files may call them.
"""

from tete.core.compilation import compiled

__all__ = ["draw", "mix", "stream"]

MASK = 0xFFFFFFFF


@compiled()
def mix(value: int) -> int:
    """Scramble 32 bits; a bijection."""
    value ^= value >> 16
    value = (value * 0x7FEB352D) & MASK
    value ^= value >> 15
    value = (value * 0x31848BAB) & MASK
    value ^= value >> 14
    value = (value * 0x045D9F3B) & MASK
    return value ^ (value >> 16)


@compiled()
def stream(seed: int, first: int, second: int) -> int:
    """A 32-bit name for the stream of draws that belongs to (seed, first, second)."""
    # Odd constants keep apart what mix alone would not: it maps 0 to 0, and equal parts would cancel.
    name = mix((seed + 0x5BD1E995) & MASK)
    name = mix((name + first * 0x1E3779B9) & MASK)
    return mix(name ^ mix((second + 0x2545F491) & MASK))


@compiled()
def draw(name: int, slot: int, limit: int) -> int:
    """The stream's number `slot`, uniform on 0, ..., limit - 1 (limit below 2^31)."""
    return (mix((name + slot * 0x1E3779B9) & MASK) * limit) >> 32
