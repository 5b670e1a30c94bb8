"""How columns are called that say more of an answer than its objects: one list, for files and for data frames."""

import re

__all__ = ["DETAIL_SPELLINGS", "plain_name"]

# By role, without case, spaces and signs between words: see `plain_name`.
DETAIL_SPELLINGS = {
    "weight": "weight weights count counts votes frequency",
    "annotator": "annotator annotatorid worker workerid participant participantid puid user userid subject subjectid "
    "rater raterid person personid respondent judge observer prolificid prolificpid",
    "answer_id": "answerid answernumber",
    "group": "group groupid fold foldid",
    "tie": "tie",
    "time": "ms rt rtms responsetime responsetimems reactiontime reactiontimems",
}


def plain_name(column: str) -> str:
    """A column's name without case, spaces and signs between words."""
    return re.sub(r"[\s_.\-]", "", column.casefold())
