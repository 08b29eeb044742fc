"""How quickly the planner's form reacts: Python's reply to a change, and a slider in the browser until its figures have changed.

python bench/planner_desk.py [--changes 300]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import BARE, BARE_PAGE, CHROMIUM, QUIET  # noqa: E402
from browser.test_planner_in_browser import REACTION  # noqa: E402
from checkout import fresh_session  # noqa: E402
from shardwise.student.widget.library import BUNDLE  # noqa: E402
from shardwise_bank.planning.desk import PlannerDesk  # noqa: E402

CASES = [
    ("llama3-8b", "h100-64"),
    ("llama3-70b", "h100-512"),
    ("llama3-405b", "h100-16384"),
    ("deepseek-v3", "h100-2048"),
]
DEGREES = {"tp": (1, 2, 4, 8), "pp": (1, 2, 4, 8, 16), "cp": (1, 2), "micro_batch": (1, 2, 4), "zero": (1, 2, 3)}
MOST_MS = 50


def main() -> int:
    """Measure, print a table, and tell whether a change takes at most 50 ms."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=300)
    changes = parser.parse_args().changes
    desk = PlannerDesk(fresh_session().banks)
    print("| | median, ms | 99th percentile, ms |\n|---|---|---|")
    worst = 0.0
    for model, cluster in CASES:
        for do in ("plan", "pipeline"):
            times = replies(desk, model, cluster, do, changes)
            worst = max(worst, _row(f"reply “{do}”, {model} on {cluster}", times))
    worst = max(worst, _row("slider to figures in the browser, llama3-70b", reactions(desk)))
    return 0 if worst <= MOST_MS else 1


def replies(desk: PlannerDesk, model: str, cluster: str, do: str, changes: int) -> list[float]:
    """Milliseconds of each reply, as JSON, while one setting after the other is changed."""
    given = desk.opened(model, cluster, {})["start"]
    rng, layout, times = random.Random(1), {}, []
    for _ in range(changes):
        name = rng.choice(list(DEGREES))
        layout = {**layout, name: rng.choice(DEGREES[name])}
        begun = time.perf_counter()
        json.dumps(desk.reply({"do": do, "given": {**given, "layout": layout}}))
        times.append((time.perf_counter() - begun) * 1000)
    return times


def reactions(desk: PlannerDesk) -> list[float]:
    """Milliseconds from a slider's move to the figures of the plan that it asks for, on a page without Jupyter."""
    shown = {"what": "planner", "given": desk.opened("llama3-70b", "h100-512", {"tp": 8, "pp": 4})}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        page = browser.new_page(viewport={"width": 1100, "height": 1500})
        page.expose_function("askPython", desk.reply)
        page.expose_function("askForWhatToShow", lambda: shown)
        page.route(BARE, lambda route: route.fulfill(body=BARE_PAGE, content_type="text/html"))
        page.route(f"{BARE}desk.js", lambda route: route.fulfill(path=BUNDLE, content_type="text/javascript"))
        page.goto(BARE)
        page.locator(".facts").wait_for()
        times: list[float] = page.evaluate(REACTION, "TP, tensor")
        browser.close()
    return times


def _row(name: str, times: list[float]) -> float:
    """Print one row, and give its median."""
    late = sorted(times)[int(len(times) * 0.99) - 1]
    print(f"| {name} | {median(times):.1f} | {late:.1f} |")
    return median(times)


if __name__ == "__main__":
    raise SystemExit(main())
