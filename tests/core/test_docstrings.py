"""Docstrings are completed from others, in the order of the signature."""

import inspect
from dataclasses import KW_ONLY, dataclass

from tete.core.docstrings import filled_from


@dataclass
class Base:
    """A base.

    Parameters
    ----------
    size : int, default=2
        How large.

        A second paragraph.
    _unused, color : str
        What colour.
    shape : str
        Which shape.

    Attributes
    ----------
    area_ : float
        The area.
    """

    size: int = 2
    _: KW_ONLY
    color: str = "red"
    shape: str = "round"


@filled_from(Base)
@dataclass(kw_only=True)
class Kind(Base):
    """A kind.

    It has a reason.

    Parameters
    ----------
    weight : float
        How heavy.
    shape : str
        Another shape.

    Examples
    --------
    >>> Kind().size
    2
    """

    weight: float = 1.0


def test_a_class_is_complete_in_the_order_of_its_signature():
    assert inspect.getdoc(Kind) == inspect.cleandoc(
        """A kind.

        It has a reason.

        Parameters
        ----------
        size : int, default=2
            How large.

            A second paragraph.
        _unused, color : str
            What colour.
        shape : str
            Another shape.
        weight : float
            How heavy.

        Attributes
        ----------
        area_ : float
            The area.

        Examples
        --------
        >>> Kind().size
        2
        """
    )


def test_a_function_takes_what_its_signature_has_and_no_attributes():
    @filled_from(Base)
    def paint(color, *rest, brush, **details):
        """Paint.

        Parameters
        ----------
        *rest
            All else.
        brush : str
            With what.
        **details
            And more.

        Returns
        -------
        str
            The result.
        """

    assert inspect.getdoc(paint).splitlines()[2:] == [
        "Parameters",
        "----------",
        "_unused, color : str",
        "    What colour.",
        "*rest",
        "    All else.",
        "brush : str",
        "    With what.",
        "**details",
        "    And more.",
        "",
        "Returns",
        "-------",
        "str",
        "    The result.",
    ]


def test_the_first_source_counts_most_and_a_plain_summary_is_enough():
    def first(size):
        """First.

        Parameters
        ----------
        size : float
            Mine.
        """

    @filled_from(first, Base)
    def sized(size, shape):
        """Sized."""

    assert inspect.getdoc(sized).splitlines()[4:] == ["size : float", "    Mine.", "shape : str", "    Which shape."]


def test_without_docstrings_nothing_happens():
    def bare(size):
        pass

    assert filled_from(Base)(bare).__doc__ is None
    assert filled_from(bare)(Base) is Base
