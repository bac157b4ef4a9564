"""The flow of a skill, read from its prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills2_nb.convert.blocks import Block, blocks
from skills2_nb.convert.candidate import RANK, Candidate, is_aside, is_one_way
from skills2_nb.convert.candidates import candidates, unnumbered
from skills2_nb.convert.flow_words import is_about
from skills2_nb.convert.titles import heading_title, item_title, named_id, plain
from skills2_nb.formats.problem import Problem

#: More items than this are no procedure that a model could follow.
MOST_STEPS = 300
#: The server lists no more tools than this one by one.
MOST_TOOLS = 64
#: A list below a heading that says nothing is the flow of a short document only.
_FEW_SECTIONS = 6
#: Numbered headings further down than this are a part of a part.
_SHALLOW = 3
_DOCSTRING = 400
#: How clear it is below a heading that is just the word for a flow.
_PLAINLY = 2
_PLAIN_HEADINGS = RANK["sections"]


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One step as the prose has it.

    Attributes:
        title: what it is called, without marks and numbering.
        line: line of the file on which it stands.
        says: the prose line, without its mark.
        named: the identifier that the line names in a code span at its start.
    """

    title: str
    line: int
    says: str
    named: str | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """What a body tells to do.

    Attributes:
        steps: in order.
        source: where they were found, in words.
        line: the line of the file where that begins; None where it is the whole text.
        ordered: whether the prose has one flow; without it each section is a step.
        problems: what could not be read, or had to be chosen.
    """

    steps: tuple[FlowStep, ...]
    source: str
    line: int | None
    ordered: bool
    problems: tuple[Problem, ...] = ()


def flow_of(body: str, name: str = "", first: int = 1) -> Flow:
    """The flow of a skill's prose: its steps, where they were found, and what was not clear.

    One main flow gives its items, those of the top level only. It is made of headings ("Step 2",
    "Phase 2", "2. Collect"), else of a numbered list, a checklist, or the bullets below a heading
    that says workflow, process, steps or the like. Without one, or with several side by side, each
    section is a step, except those that tell about the skill.

    Args:
        body: the markdown of SKILL.md without its front matter, LF.
        name: the skill's name, for a text without sections.
        first: the number of the body's first line in its file.
    """
    found = blocks(body, first)
    usable = candidates(found)
    chosen, rivals = _chosen(usable, len(_sections(found)[0]))
    if chosen is None:
        return _bounded(_by_sections(found, rivals or _ways(usable), name, first))
    steps = tuple(
        _step(block, label) for block, label in zip(chosen.items, chosen.labels, strict=True)
    )
    problems = _left_aside(rivals, chosen)
    return _bounded(Flow(steps, chosen.source, chosen.items[0].line, True, tuple(problems)))


def _chosen(
    found: Sequence[Candidate], sections: int
) -> tuple[Candidate | None, tuple[Candidate, ...]]:
    """The main flow, and those that might have been it; None where several are equally good."""
    usable = [c for c in _outermost(found) if not c.against]
    stepped = [c for c in usable if c.kind == "steps"]
    named = [c for c in usable if c.clear]
    for pool in (stepped, named):
        if pool:
            best = _best(pool)
            return (best if best and not _one_of_many(best, usable) else None), tuple(usable)
    for kind in ("numbered", "leads", "list"):
        alike = [c for c in usable if c.kind == kind and _stands_out(c, sections)]
        if alike:
            return (alike[0] if len(alike) == 1 else None), tuple(usable)
    return None, tuple(usable)


def _stands_out(candidate: Candidate, sections: int) -> bool:
    """Whether a flow that nothing announces is that of the whole text, not of a part of it."""
    if candidate.kind == "numbered":
        return candidate.items[0].level <= _SHALLOW
    return candidate.early or sections <= _FEW_SECTIONS


def _best(pool: Sequence[Candidate]) -> Candidate | None:
    """The one that outranks the others: by its form, then by how clearly it is announced."""
    ranked = sorted(pool, key=lambda c: (c.rank, c.clear), reverse=True)
    best = ranked[0]
    equal = [c for c in ranked if (c.rank, c.clear) == (best.rank, best.clear)]
    main = best.clear == _PLAINLY and not all(
        c.apart for c in equal
    )  # the rest is what comes after
    return best if len(equal) == 1 or main else None


def _one_of_many(best: Candidate, usable: Sequence[Candidate]) -> bool:
    """Whether a list that is announced by the way stands beside two others like it."""
    if best.kind != "list" or best.clear == _PLAINLY:
        return False
    beside = [
        c
        for c in usable
        if c is not best and c.kind == "list" and c.depth == best.depth and c.first
    ]
    return len(beside) > 1


def _outermost(found: Sequence[Candidate]) -> list[Candidate]:
    """The flows without those that belong to a step of a flow made of headings."""
    over: dict[int, int] = {}
    for candidate in found:
        if candidate.kind in ("steps", "numbered", "sections") and not candidate.against:
            for block in candidate.items:
                over[block.line] = max(over.get(block.line, 0), candidate.rank)
    return [c for c in found if not any(_is_over(over.get(block.line), c) for block in c.path)]


def _is_over(rank: int | None, candidate: Candidate) -> bool:
    """Whether headings of a rank take in what is below them; plain ones not every flow."""
    return rank is not None and (rank > _PLAIN_HEADINGS or candidate.clear < _PLAINLY)


def _ways(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The flows of which a user chooses one; the innermost of those that lie in each other."""
    ways = [c for c in found if c.rank > _PLAIN_HEADINGS and _is_way(c)]
    above = {block.line for c in ways for block in c.path}
    return tuple(c for c in ways if not any(block.line in above for block in c.items))


def _is_way(candidate: Candidate) -> bool:
    """Whether nothing is said against a flow but that it is one of several."""
    others = [block for block in candidate.path if not is_one_way((block,))]
    return len(others) < len(candidate.path) and not is_aside(others, candidate.clear)


def _step(block: Block, label: str) -> FlowStep:
    if block.kind == "item":
        title = item_title(block.text) or f"Item at line {block.line}"
        return FlowStep(title, block.line, _said(block.text, title), named_id(block.text))
    title = heading_title(label) or heading_title(block.text) or f"Heading at line {block.line}"
    return FlowStep(title, block.line, _said(label, title), named_id(label))


def _said(text: str, title: str) -> str:
    words = plain(text) or title
    if len(words) <= _DOCSTRING:
        return words
    return words[: _DOCSTRING - 3].rsplit(" ", 1)[0] + "..."


def _sections(found: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The sections that tell what to do, and those that tell about the skill."""
    headings = [b for b in found if b.kind == "heading" and heading_title(b.text)]
    levels = [2, 1, 3, 4, 5, 6]
    for level in levels:
        at = [block for block in headings if block.level == level]
        if len(at) > 1:
            about = [block for block in at if is_about(plain(unnumbered(block.text)))]
            lines = {block.line for block in about}
            told = [block for block in at if block.line not in lines]
            if told:
                return told, about
    told = [block for block in headings if not is_about(plain(block.text))]
    below = [block for block in told if block.level > 1]
    return (below or told)[:1], []


def _by_sections(
    found: Sequence[Block], rivals: Sequence[Candidate], name: str, first: int
) -> Flow:
    told, about = _sections(found)
    if not told:
        return _whole(found, name, first)
    steps = tuple(_step(block, unnumbered(block.text)) for block in told)
    if len(rivals) > 1:
        places = ", ".join(str(c.items[0].line) for c in rivals[:6])
        problem = _problem(
            "T002",
            told[0].line,
            f"{len(rivals)} flows stand side by side (lines {places}) and none is the main one, so "
            "each section is a step",
            "put the one that counts below a heading such as `## Workflow`, or number the steps",
        )
    else:
        lacks = "no numbered headings, no list that tells a procedure"
        if rivals:
            lacks = f"{rivals[0].source} is a part of it"
        problem = _problem(
            "T001",
            told[0].line,
            f"the prose has no flow: {lacks}; each section is a step",
            "write the procedure as a numbered list below `## Workflow`, if there is one",
        )
    problems = [problem]
    if about:
        names = ", ".join(f"{plain(block.text)!r}" for block in about[:8])
        said = f"sections that tell about the skill are no steps: {names}"
        problems.append(_problem("T003", about[0].line, said, "rename one that is to be a step"))
    return Flow(steps, "the sections", told[0].line, False, tuple(problems))


def _whole(found: Sequence[Block], name: str, first: int) -> Flow:
    """The one step of a text that has no section to make a step of."""
    title = name.replace("-", " ").strip().capitalize() or "Follow the skill"
    heading = next((b for b in found if b.kind == "heading" and heading_title(b.text)), None)
    told = heading_title(heading.text) if heading else title
    says = next((plain(b.text) for b in found if b.kind != "heading" and plain(b.text)), told)
    problem = _problem(
        "T004",
        heading.line if heading else None,
        "the prose has neither a flow nor sections; the whole of it is one step",
        "write the procedure as a numbered list, if there is one",
    )
    step = FlowStep(told, heading.line if heading else first, _said(says, told))
    return Flow((step,), "the whole text", None, False, (problem,))


def _left_aside(rivals: Sequence[Candidate], chosen: Candidate) -> list[Problem]:
    """Other flows that a reader might have taken for the main one."""
    return [
        _problem(
            "T005",
            rival.items[0].line,
            f"{rival.source} is a flow too, and was left aside",
            f"nothing, if {chosen.source} is the main one",
        )
        for rival in rivals
        if rival is not chosen and rival.kind != "bullets"
    ][:10]


def _bounded(flow: Flow) -> Flow:
    """The flow with at most as many steps as a skill can have, and a word on very many."""
    count = len(flow.steps)
    if count <= MOST_TOOLS:
        return flow
    if count > MOST_STEPS:
        said = f"the flow has {count} items; the first {MOST_STEPS} are steps"
        mend = "put what belongs together below one item"
    else:
        said = f"the flow has {count} steps, and a server lists {MOST_TOOLS} tools one by one"
        mend = "nothing: beyond that it serves `call_step`; fewer and larger steps serve better"
    problem = _problem("T006", flow.line, said, mend)
    return Flow(
        flow.steps[:MOST_STEPS], flow.source, flow.line, flow.ordered, (*flow.problems, problem)
    )


def _problem(code: str, line: int | None, message: str, mend: str) -> Problem:
    """A finding of transform: its codes are its own, and lint does not know them."""
    level = "note" if code in ("T003", "T005") else "warning"
    return Problem(code, level, "SKILL.md", None, None, line, message, mend)  # type: ignore[arg-type]
