import pytest

from skills2_nb.convert import prose

BODY = """# Growth accounting

The **quick ratio** and `new_users`, twice: **Quick ratio**.

```python
# no heading
x = "**not bold**"
```

## When to use

- Why did actives move last month?
- "what drives churn" questions
- MAU

## `code` heading

__Bold too__ and ``a `b` c``.
"""


def test_anchors_are_headings_bold_and_code_outside_fences():
    assert prose.anchors(BODY) == (
        "Growth accounting",
        "quick ratio",
        "new_users",
        "When to use",
        "code",
        "Bold too",
    )


def test_every_anchor_occurs_in_the_body_and_there_are_not_too_many():
    body = "\n".join(f"**term {n}**" for n in range(99))
    terms = prose.anchors(body)
    assert len(terms) == prose.MOST_ANCHORS
    assert all(term in body for term in terms)


def test_phrases_are_what_a_user_may_say():
    description = 'Explains. Use when the user asks why MAU changed, or says "growth is flat".'
    assert prose.phrases(description, BODY) == (
        "growth is flat",
        "what drives churn",
        "why MAU changed",
        "Why did actives move last month?",
        "what drives churn questions",
    )


def test_keywords_say_something():
    words = prose.keywords("growth-accounting", "Explain why the users churn.", BODY)
    assert words == ("growth", "accounting", "actives", "drives", "churn", "mau")
    assert not {"the", "why", "users", "explain", "month"} & set(words)


def test_what_a_skill_is_not_for_is_no_keyword():
    text = "Splits churn. Use it when someone asks about churn. Not for revenue. Never forecasts."
    assert prose.keywords("churn-flows", text, "") == ("churn", "flows", "splits")


# What a user asks, as a description lists it; the phrases made of it.
ASKED = [
    ("asks about cohort retention, a retention curve, or how many subscribers come back",
     ("cohort retention", "a retention curve", "how many subscribers come back")),
    ("asks for a quick ratio or a growth rate", ("a quick ratio", "a growth rate")),
    ("asks whether an order or invoice is late", ("an order or invoice is late",)),
    ("asks why it changed, or for the month", ()),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "wanted"), ASKED)
def test_each_thing_asked_is_a_phrase(asked, wanted):
    assert prose.phrases(f"Does it. Use it when someone {asked}.", "") == wanted


def test_each_sentence_of_an_item_is_a_phrase():
    body = "## When to use\n\n- Why did conversion drop? At which stage do we lose people? Why now?"
    assert prose.phrases("", body) == (
        "Why did conversion drop?",
        "At which stage do we lose people?",
    )


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("# T\n\nOne **two**\nthree.\n\nfour", "One two three."),
        ("- item\n\ntext", "text"),
        ("> quote\n\n![i](x)\n\n[link](u) text_with_it", "link text_with_it"),
        ("```\ncode\n```\n\ntext", "text"),
        ("# T", ""),
        ("", ""),
    ],
)
def test_the_first_paragraph(body, wanted):
    assert prose.first_paragraph(body) == wanted


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("![a](attachment:x.png)", ["x.png"]),
        ("[![a](attachment:x.png)](u)", ["x.png"]),
        ("![a](<attachment:x.png> 'title')", ["x.png"]),
        ("![a](attachment:my image.png)", ["my image.png"]),
        ("![a](attachment:my%20image.png)", ["my%20image.png"]),
        ("<img width=3 src='attachment:x.png'>", ["x.png"]),
        ("<img src=attachment:x.png>", ["x.png"]),
        ("[x]: attachment:x.png", ["x.png"]),
        ("![](attachment:a.png) ![](attachment:b.png)", ["a.png", "b.png"]),
        ("`![](attachment:x.png)`", []),
        ("```\n![](attachment:x.png)\n```", []),
        ("the word attachment:x.png", []),
    ],
)
def test_attachments_that_are_shown(text, names):
    assert [name for name, _ in prose.attachments(text)] == names
    replaced = prose.with_files(text, {name: f"assets/{n}" for n, name in enumerate(names)})
    assert ("attachment:" in replaced) is (not names)
    assert all(f"assets/{n}" in replaced for n in range(len(names)))
