"""Keys of people: a number that nobody can guess the signature of."""

import hmac
from base64 import urlsafe_b64encode

__all__ = ["key_of", "number_of"]

MOST_DIGITS = 15


def key_of(secret: bytes, number: int) -> str:
    """The key of the person with this number."""
    digest = hmac.digest(secret, f"person{number}".encode(), "sha256")
    return f"{number}.{urlsafe_b64encode(digest[:24]).decode()}"


def number_of(secret: bytes, key: str) -> int | None:
    """The number of the person with this key; None if the key was not made with this secret."""
    digits = key.partition(".")[0]
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > MOST_DIGITS:
        return None
    number = int(digits)
    return number if hmac.compare_digest(key_of(secret, number).encode(), key.encode()) else None
