"""How fast a site is in Chromium: the first screen, the first verdict, later verdicts, after an endless loop; and how large it is.

`python bench/site.py` compiles the bank of this checkout into a temporary folder and serves it from this computer.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from jupyter_lab import CHROMIUM, QUIET
from practice_site import files, put, served

RUNS = 3
RING = "#/01-ring-all-reduce/"
LOOP = "def ring_all_reduce_ms(message_gb, gpus, bandwidth_gb_per_s, latency_us):\n    while True:\n        pass\n"


def check(page: Page, words: str) -> float:
    """Press Check, and return the seconds until these words appear."""
    began = time.perf_counter()
    page.get_by_role("button", name="Check").click()
    page.get_by_text(words).first.wait_for()
    return time.perf_counter() - began


def visit(browser: Browser, site: str) -> dict[str, float]:
    """Measure one visit by a new visitor, and return the times in seconds."""
    times: dict[str, float] = {}
    context = browser.new_context()
    context.set_default_timeout(120_000)
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"{site}{RING}bytes-per-gpu")
    page.get_by_role("textbox", name="Your answer").fill("1 MB")
    times["first screen, ready to type"] = time.perf_counter() - began
    check(page, "Not yet")
    times["first verdict, counted from the start"] = time.perf_counter() - began
    later = []
    for number in range(10):
        page.get_by_role("textbox", name="Your answer").fill(f"{2 + number} TB")
        page.get_by_text(f"Read as {2 + number} TB").wait_for()
        later.append(page.evaluate(VERDICT))
    times["later verdict"] = statistics.median(later) / 1000
    page.goto(f"{site}{RING}bytes-per-gpu-formula")
    page.get_by_role("textbox", name="Your formula").fill("6*2*M*(N-1)/N + 1")
    times["first explanation by sympy"] = check(page, "plus")
    page.goto(f"{site}{RING}ring-time-function")
    page.locator(".cm-content").fill(LOOP)
    times["verdict on an endless loop"] = check(page, "took too long")
    page.reload()
    page.get_by_role("heading", level=1).wait_for()
    context.close()
    return times


VERDICT = """() => new Promise((resolve) => {
  const began = performance.now();
  addEventListener("shardwise-checked", () => resolve(performance.now() - began), { once: true });
  [...document.querySelectorAll("*")].flatMap((each) => [each, ...(each.shadowRoot?.querySelectorAll("button") ?? [])])
    .find((each) => each.tagName === "BUTTON" && each.textContent.trim() === "Check").click();
})"""


def sizes() -> dict[str, float]:
    """Return the sizes of parts of the site in kB, as a server sends them: gzipped."""
    kilobytes = {name: len(gzip.compress(data)) / 1000 for name, data in files().items()}

    def total(*ends: str) -> float:
        return sum(size for name, size in kilobytes.items() if name.endswith(ends))

    first = total("index.html", "app.js", "app.css", "first.json", "chapters/01-ring-all-reduce.json")
    later = total("later.zip")
    return {
        "first load, without the engine": first,
        "Python and the program": total("wasm", ".asm.js", "pyodide.js", "stdlib.zip", "packages.zip", "python.zip"),
        "sympy, when it is needed or kept offline": later,
        "the whole site": sum(kilobytes.values()),
    }


def main() -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        put(Path(folder))
        with served(Path(folder)) as site:
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
            visits = [visit(browser, site) for _ in range(RUNS)]
            browser.close()
    print(f"| median of {RUNS} visits | seconds |\n|---|---|")
    for name in visits[0]:
        print(f"| {name} | {statistics.median(each[name] for each in visits):.3g} |")
    print("\n| gzipped | kB |\n|---|---|")
    for name, size in sizes().items():
        print(f"| {name} | {size:,.0f} |")


if __name__ == "__main__":
    main()
