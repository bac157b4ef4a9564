"""What an answer is for, as the one who asked knows it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from skills2_nb.audit.finding import Finding, finding
from skills2_nb.contract.state import RunState

#: How much of a prompt a message quotes.
_SHOWN = 80


@dataclass(frozen=True)
class Asked:
    """The question that a run is to answer; None where the caller does not know.

    Attributes:
        prompt: its text.
        session: the client's session that it stands in.
        prompt_id: the client's id of it.
    """

    prompt: str | None = None
    session: str | None = None
    prompt_id: str | None = None

    def differs(self, state: RunState) -> tuple[Finding, ...]:
        """``OTHER_PROMPT`` where the run is of another question; nothing where none is known.

        The session goes first, then the prompt's id, and the text only where an id is wanting. A
        run of the session goes on to answer for a later prompt if an answer in it bears its id.
        """
        if self.session and state.session and self.session != state.session:
            return _other("session", self.session, state.session)
        if self.prompt_id and state.prompt_id:
            if self.prompt_id == state.prompt_id or self._is_answered(state):
                return ()
            return _other("prompt", self.prompt_id, state.prompt_id)
        if self.prompt is None:
            return ()
        if state.prompt is None:
            return (
                finding("OTHER_PROMPT", "the run does not say which question it is of", note=True),
            )
        if normal(self.prompt) == normal(state.prompt):
            return ()
        return _other("question", self.prompt, state.prompt)

    def _is_answered(self, state: RunState) -> bool:
        same = self.session is not None and self.session == state.session
        return same and any(answer["prompt_id"] == self.prompt_id for answer in state.answers)


def normal(text: str) -> str:
    """A prompt without what does not matter: kinds of blanks, case, how a letter is composed."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _other(what: str, asked: str, ran: str) -> tuple[Finding, ...]:
    said = f"asked was {what} “{_short(asked)}”, and the run is of “{_short(ran)}”"
    return (finding("OTHER_PROMPT", said),)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1].rstrip()}…"
