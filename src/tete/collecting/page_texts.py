"""Every text that people see on the page around a study's own, in English; a study may put others in their places.

Words in braces are filled in by the page: ``{count}`` and the like. A translation gives `language` (as in HTML's
``lang``) and, for scripts that run from right to left, ``direction = "rtl"``.
"""

import re
from collections.abc import Mapping

from tete.exceptions import InvalidParameterError

__all__ = ["PAGE_TEXTS", "texts_of"]

PAGE_TEXTS = {
    "language": "en",
    "direction": "ltr",
    "untitled": "A study of similarity",
    # Before anything can be asked for
    "needs_scripts": "This page needs JavaScript. Please allow it and load the page again.",
    "cannot_load": "The study cannot be reached at the moment. Trying again…",
    # Consent and instructions
    "consent_title": "Before you begin",
    "agree": "I agree",
    "disagree": "I do not agree",
    "disagreed_title": "Thank you",
    "disagreed": "You do not take part, and nothing was stored. You can close this page.",
    "back": "Back",
    "how_title": "How it works",
    "how_triplet": "You see one item and two others. Choose the one of the two that is more like the first.",
    "how_odd_one_out": "You see three items. Choose the one that fits least with the other two.",
    "how_pick": "You see one item and several others. Number of others to choose, those most like it: {picks}.",
    "how_ranked": "Begin with the one that is most like it.",
    "how_no_wrong": "What counts is what you see: there are no wrong answers, and a first impression is fine.",
    "how_questions": "Questions: {count}",
    "how_practice": "Before them, to practise: {count}",
    "how_keys_title": "With a keyboard",
    "how_keys_digits": "choose",
    "how_keys_arrows": "move, and choose",
    "how_keys_undo": "take the last answer back",
    "how_keys_cannot_say": "cannot say",
    "start": "Start",
    "starting": "Starting…",
    "start_failed": "The study could not be started. Please try again in a moment.",
    # Names of keys
    "key_arrows": "Arrows",
    "key_enter": "Enter",
    "key_backspace": "Backspace",
    "key_space": "Space",
    # Questions
    "ask_triplet": "Which of the two is more like this one?",
    "ask_odd_one_out": "Which one fits least with the other two?",
    "ask_pick_one": "Which one is most like this one?",
    "ask_pick": "Which {picks} are most like this one?",
    "ask_ranked": "Which {picks} are most like this one? Begin with the most similar.",
    "anchor": "Compare with:",
    "choose": "Choose {place}",
    "chosen": "Chosen: {picked} of {picks}",
    "play_first": "Play everything once before you choose.",
    "cannot_show": "This cannot be shown.",
    "cannot_say": "Cannot say",
    "undo": "Undo",
    "leave": "Leave",
    "progress": "{answered} of {total}",
    "progress_label": "Answers saved",
    "practice_progress": "Practice: {number} of {total}",
    "practice_right": "Yes, that is the expected answer.",
    "practice_wrong": "The expected answer is the marked one.",
    "practice_over_title": "That was the practice",
    "practice_over": "Now the questions begin. From here on there is no feedback.",
    "continue": "Continue",
    # Between and after them
    "break_title": "Time for a break",
    "break_text": "Rest your eyes for a moment, and continue when you like. Everything so far is kept.",
    "waiting": "One moment…",
    "saving": "Saving…",
    "no_connection": "No connection: your answers are kept here and sent later.",
    "saving_last": "Your last answers are being saved. Please leave this page open.",
    "end_title": "Thank you!",
    "end_text": "All your answers are saved. You can close this page.",
    "end_text_completion": "All your answers are saved. One last step:",
    "completion_code": "Your completion code",
    "copy": "Copy",
    "copied": "Copied",
    "completion_link": "Complete the study",
    "another_person": "Start as another person",
    "paused_title": "A short pause",
    "paused_text": "The study is paused. Your answers are saved; this page continues by itself when the study does.",
    "closed_title": "The study is closed",
    "closed_text": "No more answers are needed. Thank you for your interest.",
    "leave_title": "Leave the study?",
    "leave_text": "If you leave, none of your answers will be used, and you cannot come back.",
    "leave_yes": "Leave the study",
    "leave_no": "Go on",
    "withdrew_title": "You have left the study",
    "withdrew_text": "Your answers will not be used. You can close this page.",
    "other_tab_title": "Open in another tab",
    "other_tab_text": "The study is open in another tab or window of this browser. Go on there, or here.",
    "use_this_tab": "Go on here",
    "unknown_title": "Your visit is not known any more",
    "unknown_text": "What was stored about it has been deleted. You can start again.",
    "start_again": "Start again",
}
BLANK = re.compile(r"\{(\w+)\}")


def texts_of(changed: Mapping[str, str]) -> dict[str, str]:
    """All texts of the page, with those that a study changes in their places.

    Parameters
    ----------
    changed : mapping of names to texts
        What the study says otherwise.

    Returns
    -------
    dict
        A text for every name of `PAGE_TEXTS`.

    Raises
    ------
    InvalidParameterError
        If a name is not one of the page's, a text is no text, or it has a blank that the page does not fill.
    """
    for name, text in changed.items():
        if name not in PAGE_TEXTS:
            raise InvalidParameterError(f"`texts` must have names of the page's texts, got {name!r}.")
        if not isinstance(text, str):
            raise InvalidParameterError(f"`texts` must be texts, got {text!r} for {name!r}.")
        blanks = set(BLANK.findall(PAGE_TEXTS[name]))
        if unknown := sorted(set(BLANK.findall(text)) - blanks):
            allowed = " and ".join(f"{{{blank}}}" for blank in sorted(blanks)) or "no blanks"
            raise InvalidParameterError(f"`texts` may have {allowed} in {name!r}, got {{{unknown[0]}}}.")
    if changed.get("direction", "ltr") not in ("ltr", "rtl"):
        raise InvalidParameterError(f"`texts` must have the direction 'ltr' or 'rtl', got {changed['direction']!r}.")
    return PAGE_TEXTS | dict(changed)
