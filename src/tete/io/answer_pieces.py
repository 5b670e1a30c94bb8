"""Answers of a large file, some ten thousand rows at a time, so that memory does not grow with the file."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tete.comparisons.triplets import Triplets
from tete.exceptions import InvalidFileError
from tete.io.answer_files import columns_to_use
from tete.io.answer_layouts import triplets_of
from tete.io.headers import column_position, may_hold_screens
from tete.io.parquet_files import parquet_table_pieces
from tete.io.records import AnswerRecords, plain_words
from tete.io.sources import AnyPath, Source, kind_of
from tete.io.tables import Table
from tete.io.text_files import TextFile
from tete.io.text_tables import text_table_pieces

__all__ = ["AnswerPieces"]

ROWS_IN_A_PIECE = 2**17
WORDS_OF_BOOLEANS = {"0", "1"}


@dataclass(frozen=True)
class AnswerPieces:
    """A CSV, TSV or Parquet file of answers and what its columns mean, as in `read_answers`."""

    path: AnyPath
    columns: Sequence[str] | None = None
    odd_one_out: bool = False
    most_central: bool = False
    picked: Sequence[str] | None = None
    ranked: bool = False
    weight: str | None = None
    annotator: str | None = None
    answer: str | None = None
    group: str | None = None
    header: bool = True
    encoding: str = "utf-8"
    skip_invalid: bool = False

    def triplets(self, names: Sequence[Hashable] | None, *, skip: int = 0) -> Iterator[tuple[int, Triplets]]:
        """The number of each piece and its triplets, from some piece on; `names` are those of all objects.

        Without them, each piece numbers its objects by itself.
        """
        for number, table in enumerate(self._tables()):
            if number >= skip and len(table):
                roles, layout = self._roles(table)
                records = AnswerRecords(table, roles, names, self.skip_invalid)
                yield number, triplets_of(records, layout, self.ranked, "drop")

    def refuse_ambiguous_answers(self) -> None:
        """Refuse a file in which 0 means "undecided" that could be taken for "the second" in a piece of zeros."""
        words: list[set[str]] = []
        for table in self._tables():
            roles, layout = self._roles(table)
            if layout != "questions":
                return
            words.append({plain_words(text) for text in table.column(roles["answer"]).names})
        if any(each <= WORDS_OF_BOOLEANS for each in words) and not set().union(*words) <= WORDS_OF_BOOLEANS:
            raise InvalidFileError(
                f"{self.path}: answers of 0 may mean undecided or the second; write what was chosen instead."
            )

    def _tables(self) -> Iterator[Table]:
        kind, source = kind_of(self.path, ("text", "parquet"), packed=True), Source.of(self.path)
        if kind == "parquet":
            unfolds = partial(may_hold_screens, named=(*(self.columns or ()), *(self.picked or ())))
            yield from parquet_table_pieces(source, ROWS_IN_A_PIECE, unfolds=unfolds)
            return
        file = TextFile.of(source, encoding=self.encoding, header=self.header, least_columns=3)
        yield from text_table_pieces(file, ROWS_IN_A_PIECE)

    def _roles(self, table: Table) -> tuple[dict[str, int], str]:
        wanted = {"weight": self.weight, "annotator": self.annotator, "answer_id": self.answer, "group": self.group}
        details = {
            role: column_position(table.head, table.columns, name) for role, name in wanted.items() if name is not None
        }
        chosen = "odd" if self.odd_one_out else "central" if self.most_central else "triplets"
        return columns_to_use(table, self.columns, chosen, self.picked, details)
