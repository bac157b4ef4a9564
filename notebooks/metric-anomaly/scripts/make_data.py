"""Make the synthetic series in `assets/`: one seed each, the same bytes every time.

python scripts/make_data.py             writes into the folder `assets` beside `scripts`
python scripts/make_data.py FOLDER      writes into FOLDER
"""

import random
import sys
from datetime import date, timedelta
from pathlib import Path

FIRST_DAY = date(2025, 1, 6)  # a Monday
DAYS = 26 * 7
WEEKDAY = (1.00, 0.97, 0.99, 1.02, 1.12, 1.31, 1.21)  # Monday to Sunday, of orders
WORKDAY = (1.10, 1.14, 1.12, 1.08, 0.98, 0.55, 0.58)  # the same of signups
CHANNELS = {"web": 620, "app": 380, "store": 210}
NOISE = 0.03  # standard deviation of a day's factor

SPIKE = date(2025, 3, 14)  # web sells half as much again for one day
GAP = (date(2025, 4, 5), date(2025, 4, 6))  # two days without any row
OUTAGE = date(2025, 4, 22)  # the app loses seven orders of ten for one day
SHIFT = date(2025, 6, 9)  # from here on the app sells 45% more
LAST_SPIKE = date(2025, 7, 6)  # signups double on the last day of their file


def factor(draw):
    """A day's chance factor around 1: the sum of twelve draws is all but normal."""
    return 1 + NOISE * (sum(draw() for _ in range(12)) - 6)


def orders():
    """Rows of orders by channel."""
    draw = random.Random(4201).random
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(number)
        for channel, level in CHANNELS.items():
            count = level * WEEKDAY[day.weekday()] * factor(draw)
            if channel == "web" and day == SPIKE:
                count *= 1.5
            if channel == "app" and day == OUTAGE:
                count *= 0.3
            if channel == "app" and day >= SHIFT:
                count *= 1.45
            if day not in GAP:
                yield day, channel, round(count)


def signups():
    """Rows of signups, one a day."""
    draw = random.Random(4202).random
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(number)
        count = 340 * WORKDAY[day.weekday()] * factor(draw)
        yield day, round(count * (2 if day == LAST_SPIKE else 1))


FILES = {
    "daily_orders.csv": ("date,channel,orders", orders),
    "daily_signups.csv": ("date,signups", signups),
}


def make(folder):
    """Write every file of `FILES` into the folder."""
    for name, (head, rows) in FILES.items():
        lines = [head, *(",".join(map(str, row)) for row in rows())]
        (folder / name).write_bytes(("\n".join(lines) + "\n").encode("ascii"))


if __name__ == "__main__":
    beside = Path(__file__).resolve().parents[1] / "assets"
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else beside)
