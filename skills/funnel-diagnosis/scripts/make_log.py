"""Write the synthetic sign-up log, the same bytes for the same seed.

    python make_log.py assets/signup_log.csv

Nothing in it happened. Only `Random.random()` is drawn, whose sequence Python keeps from one
version to the next.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

SEED = 42
STAGES = ("visit", "signup", "activate", "purchase")
#: Month, its days that are logged, users who enter.
MONTHS = (
    ("2025-02", 28, 600),
    ("2025-03", 31, 600),
    ("2025-04", 30, 600),
    ("2025-05", 31, 600),
    ("2025-06", 15, 200),
)
#: Channels with the share of each among those who enter; from April on a campaign buys traffic.
QUIET = {"search": 0.50, "referral": 0.30, "paid": 0.20}
CAMPAIGN = {"search": 0.26, "referral": 0.16, "paid": 0.58}
DEVICES = {"web": 0.30, "ios": 0.25, "android": 0.45}
#: Rates of the three steps by channel; from April on each channel signs up a little better.
RATES = {
    "search": (0.50, 0.64, 0.42),
    "referral": (0.62, 0.68, 0.46),
    "paid": (0.20, 0.56, 0.38),
}
SIGNUP_LIFT = 0.03
#: From May on the new release breaks the activation on one device.
BROKEN_DEVICE, BROKEN_RATE = "android", 0.30
#: The longest delay to each next stage in minutes; a purchase may fall behind the window.
DELAYS = (2 * 24 * 60, 5 * 24 * 60, 12 * 24 * 60)
RELOADED, HELPED, LOST, REVERSED = 0.06, 0.05, 0.02, 0.01

Row = tuple[str, datetime, str, str, str]


def drawn(chance: Random, shares: dict[str, float]) -> str:
    """One of the names, by its share."""
    point, passed = chance.random(), 0.0
    for name, share in shares.items():
        passed += share
        if point < passed:
            return name
    return name


def rates(month: str, channel: str, device: str) -> tuple[float, float, float]:
    """The rates of the three steps for one user: the planted story."""
    signup, activate, purchase = RATES[channel]
    if month >= "2025-04":
        signup += SIGNUP_LIFT
    if month >= "2025-05" and device == BROKEN_DEVICE:
        activate = BROKEN_RATE
    return signup, activate, purchase


def journey(chance: Random, user: str, month: str, days: int) -> list[Row]:
    """The events of one user, some of them as untidy as a real log has them."""
    channel = drawn(chance, QUIET if month < "2025-04" else CAMPAIGN)
    device = drawn(chance, DEVICES)
    start = datetime.fromisoformat(f"{month}-01")
    time = start + timedelta(minutes=int(chance.random() * days * 24 * 60))
    rows = [(user, time, "visit", channel, device)]
    if chance.random() < RELOADED:
        rows.append((user, time + timedelta(minutes=3), "visit", channel, device))
    if chance.random() < HELPED:
        rows.append((user, time + timedelta(minutes=5), "help", channel, device))
    for stage, rate, delay in zip(STAGES[1:], rates(month, channel, device), DELAYS, strict=True):
        if chance.random() >= rate:
            break
        time += timedelta(minutes=10 + int(chance.random() * delay))
        rows.append((user, time, stage, channel, device))
    return untidy(chance, rows)


def untidy(chance: Random, rows: list[Row]) -> list[Row]:
    """Lose the sign-up of a few users, and date a few activations before it."""
    lost, back = chance.random() < LOST, chance.random() < REVERSED
    stages = [row[2] for row in rows]
    if "activate" not in stages:
        return rows
    signup, activate = stages.index("signup"), stages.index("activate")
    if lost:
        return [row for row in rows if row[2] != "signup"]
    if back:
        user, _, stage, channel, device = rows[activate]
        early = rows[signup][1] - timedelta(minutes=7)
        rows[activate] = (user, early, stage, channel, device)
    return rows


def main(path: str) -> None:
    """Write the log in the order of its times, up to the end of the last month."""
    chance = Random(SEED)
    month, days, _ = MONTHS[-1]
    end = datetime.fromisoformat(f"{month}-01") + timedelta(days=days)
    rows: list[Row] = []
    count = 0
    for month, days, entering in MONTHS:
        for _ in range(entering):
            count += 1
            rows += journey(chance, f"{count:05d}", month, days)
    rows = sorted((row for row in rows if row[1] < end), key=lambda row: (row[1], row[0]))
    lines = ["user_id,time,stage,channel,device"]
    lines += [",".join((user, f"{time:%Y-%m-%dT%H:%M}", *rest)) for user, time, *rest in rows]
    Path(path).write_bytes(("\n".join(lines) + "\n").encode("ascii"))


if __name__ == "__main__":
    main(sys.argv[1])
