"""Both verdicts in one line."""

from dataclasses import replace

from skills2_nb.views import headline


def test_the_verdict_that_counts_comes_first(honest):
    assert headline.plain(honest.audit) == "strict unproven 1.00 · classic pass 1.00"
    other = replace(honest.audit, by="classic")
    assert headline.plain(other) == "classic pass 1.00 · strict unproven 1.00"
