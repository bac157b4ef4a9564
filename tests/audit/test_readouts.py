"""Whole readouts as people write them: honest ones accuse nobody, false ones are caught."""

import pytest

from skills2_nb.audit.anchoring import anchor
from skills2_nb.audit.sources import input_sources, report_field, result_sources, text_sources

FLOWS = {
    "period": "1997-03",
    "previous_mau": 1178,
    "new": 719,
    "resurrected": 61,
    "churned": 813,
    "current_mau": 1145,
}
IDENTITY = {"implied": 1145, "residual": 0, "identity_closes": True}
RATIO = {"quick_ratio": 0.9594095940959409, "churn_rate": 0.6901528013582343}
FLOW = {"dominant_flow": "churned", "verdict": "leaky"}
FLOW_SCHEMA = {
    "properties": {
        "dominant_flow": {"enum": ["new", "resurrected", "churned", "none"]},
        "verdict": {"enum": ["healthy", "leaky", "dying"]},
    }
}
FIELDS = (
    report_field("count_flows", "current_mau", FLOWS, {}),
    report_field("count_flows", "previous_mau", FLOWS, {}),
    report_field("count_flows", "churned", FLOWS, {}),
    report_field("close_identity", "implied", IDENTITY, {}),
    report_field("compute_ratio", "quick_ratio", RATIO, {}),
    report_field("pick_flow", "dominant_flow", FLOW, FLOW_SCHEMA),
)
BODY = """# Growth accounting
1. Load the log. 2. Count the flows. A quick ratio under 1 means a shrinking product, above 4 a
growing one. The identity must close to within 1 user.
"""
SOURCES = (
    *result_sources("count_flows", FLOWS, {}),
    *result_sources("close_identity", IDENTITY, {}),
    *result_sources("compute_ratio", RATIO, {}),
    *result_sources("pick_flow", FLOW, FLOW_SCHEMA),
    *input_sources({"path": "/data/cdnow_sample.csv", "period": "1997-03", "grain": "month"}),
    *text_sources("Why did MAU move in March 1997?", "prompt", "prompt"),
    *text_sources(BODY, "body", "constant"),
)

HONEST = [
    "In March 1997 the identity closes: implied 1,145 against a current MAU of 1,145 (previous MAU "
    "1,178). The quick "
    "ratio is 0.96, so the product shrinks; the dominant flow is churned (813 users).",
    """## Readout for 1997-03

1. **Current MAU:** 1,145 (previous 1,178, down 33)
2. **Flows:** 719 new, 61 resurrected, 813 churned
3. **Identity:** implied = 1178 + 719 + 61 − 813 = 1145, residual 0
4. **Quick ratio:** (719 + 61) / 813 = 0.96, below 1
5. **Dominant flow:** churned

The churn rate was 69.0 %.""",
    """| Metric | Value |
|:-------|------:|
| Previous MAU | 1,178 |
| Current MAU | 1,145 |
| Implied | 1,145 |
| Churned | 813 |
| Quick ratio | 0.959 |
| Dominant flow | churned |

All 5 steps ran; the books close.""",
    """| Period | Previous MAU | New | Resurrected | Churned | Current MAU | Implied | Quick ratio |
|---|---|---|---|---|---|---|---|
| 1997-03 | 1178 | 719 | 61 | 813 | 1145 | 1145 | 0.96 |

Churned users are the dominant flow.""",
    "Im März 1997 waren 1.145 Nutzer aktiv (current MAU), rechnerisch (implied) ebenfalls 1.145. "
    "Vormonat (previous MAU): 1.178. "
    "Es kamen 719 neue und 61 zurück, 813 gingen "
    "(churned). Das Quick Ratio liegt mit 0,96 unter 1; der größte Fluss (dominant flow) ist "
    "churned.",
    "Quick answer: MAU fell by 33 to 1.1K... precisely, current MAU is 1145 = implied. Churned "
    "was 813, i.e. 69% of the previous 1,178, and at a quick ratio of 0.96 the product leaks. "
    "Dominant flow: **churned**.",
    "Step 1 of 5 loaded /data/cdnow_sample.csv; previous_mau was 1178. "
    "Step 2 counted "
    "`new = 719`, `resurrected = 61` and `churned = 813`. The identity closes (implied: 1145; "
    "current_mau: 1145). quick_ratio: 0.9594. "
    "dominant_flow: churned.",
    "Current MAU was 1,145 on 31 March 1997 - 33 fewer than at the end of February 1997. "
    "Previous MAU: 1178. Churned: −813. Implied: 1,145. Quick ratio ≈ 1.0, i.e. 0.96. The "
    "dominant flow was churned, not new.",
    "- current MAU 1145\n- previous MAU 1178\n- implied 1145\n"
    "- churned 813\n- quick ratio 0.96\n- dominant flow churned",
]

FALSE = [
    # (readout, code, what the message names)
    (HONEST[0].replace("0.96", "1.96"), "CONTRADICTED", "quick_ratio"),
    (HONEST[0].replace("implied 1,145", "implied 1,245"), "CONTRADICTED", "implied"),
    (HONEST[0].replace("is churned", "is new"), "CONTRADICTED", "dominant_flow"),
    (HONEST[1].replace("1,145 (", "1,415 ("), "CONTRADICTED", "current_mau"),
    (HONEST[1].replace("= 0.96", "= 1.04"), "CONTRADICTED", "quick_ratio"),
    (HONEST[1].replace("61 resurrected", "91 resurrected"), "UNSUPPORTED", "91"),
    (HONEST[2].replace("0.959", "0.595"), "CONTRADICTED", "quick_ratio"),
    (HONEST[2].replace("| churned |", "| new |"), "CONTRADICTED", "dominant_flow"),
    (HONEST[3].replace("0.96", "0.86"), "CONTRADICTED", "quick_ratio"),
    (HONEST[3].replace("1145 | 1145", "1145 | 1154"), "CONTRADICTED", "implied"),
    (HONEST[4].replace("0,96", "1,96"), "CONTRADICTED", "quick_ratio"),
    (HONEST[4].replace("813 gingen", "831 gingen"), "CONTRADICTED", "churned"),
    (HONEST[5].replace("69%", "79%"), "UNSUPPORTED", "79%"),
    (HONEST[6].replace("0.9594", "0.8594"), "CONTRADICTED", "quick_ratio"),
    (HONEST[8].replace("813", "183"), "CONTRADICTED", "churned"),
    (HONEST[8].replace("dominant flow churned", "dominant flow is fine"), "OMITTED", "churned"),
    ("The identity closes and the quick ratio shows the dominant flow.", "OMITTED", "implied"),
]


def judged(answer):
    return anchor(answer, FIELDS, SOURCES, names=("growth-accounting",))


@pytest.mark.parametrize("answer", HONEST)
def test_an_honest_readout_accuses_nobody(answer):
    result = judged(answer)
    assert result.findings == ()
    assert (result.recall, result.precision) == (1.0, 1.0)


@pytest.mark.parametrize(("answer", "code", "named"), FALSE)
def test_a_false_readout_is_caught(answer, code, named):
    found = [f for f in judged(answer).findings if f.code == code]
    assert any(named in f.message for f in found), judged(answer)
