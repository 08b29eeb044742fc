"""How long a student waits for forms in JupyterLab: from a cell that runs to its form, and from Check to the verdict.

python bench/desk.py [--rounds 5]: needs Chromium, and the environment of the tests.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser.in_jupyter import ready  # noqa: E402
from jupyter_lab import CHROMIUM, KERNEL, QUIET, Lab, running_lab  # noqa: E402
from shardwise.student.widget.library import BUNDLE  # noqa: E402

PAUSE_MS = 250  # between verdicts, as a person would; back to back they queue behind each other
VERDICTS = 12
CELL = 'from shardwise import practice\npractice("bytes-per-gpu")'
# Milliseconds from here until a form is in the page, looked for in every frame.
FORM = """async () => {
  const start = performance.now();
  window.jupyterapp.commands.execute("notebook:run-all-cells");
  const form = () => document.querySelector(".shardwise")?.shadowRoot?.querySelector("input");
  while (!form()) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""
# Milliseconds from a press of Check until the status says something else.
VERDICT = """async (typed) => {
  const root = document.querySelector(".shardwise").shadowRoot;
  const field = root.querySelector(".fields input");
  field.value = typed;
  field.dispatchEvent(new Event("input"));
  const before = root.querySelector("[role=status] > *");
  const start = performance.now();
  root.querySelector("button.primary").click();
  await new Promise((done) => {
    const look = () => before !== root.querySelector("[role=status] > *") && (seen.disconnect(), done());
    const seen = new MutationObserver(look);
    seen.observe(root, { childList: true, subtree: true });
  });
  return performance.now() - start;
}"""


def one_round(page: Page, lab: Lab, number: int) -> tuple[float, float, list[float]]:
    """Milliseconds to the form, to the first verdict and to the later ones, in a fresh kernel."""
    kernel = {"kernelspec": {"name": KERNEL, "display_name": KERNEL}}
    nbformat.write(new_notebook(cells=[new_code_cell(CELL)], metadata=kernel), lab.notebooks / f"desk-{number}.ipynb")
    page.goto(lab.address(f"desk-{number}.ipynb") + "&reset")
    ready(page)
    page.wait_for_timeout(1000)
    form = page.evaluate(FORM)
    page.wait_for_timeout(1000)  # nobody answers sooner
    verdicts = []
    for place in range(VERDICTS):
        verdicts.append(page.evaluate(VERDICT, f"{place + 1} GB"))
        page.wait_for_timeout(PAUSE_MS)
    return form, verdicts[0], verdicts[1:]


def main(rounds: int) -> None:
    """Print the table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what pip installs is compiled
    with tempfile.TemporaryDirectory() as base, running_lab(Path(base)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        measured = [one_round(browser.new_page(), lab, number) for number in range(rounds)]
        browser.close()
    forms, firsts = [one[0] for one in measured], [one[1] for one in measured]
    later = [verdict for one in measured for verdict in one[2]]
    rows = [
        ("first form visible after its cell ran, the import included", "2,000 ms", forms, "ms"),
        ("first verdict", "300 ms", firsts, "ms"),
        (f"later verdicts, {PAUSE_MS} ms apart", "50 ms", later, "ms"),
        ("the code, gzipped", "250 kB", [len(gzip.compress(BUNDLE.read_bytes())) / 1000], "kB"),
    ]
    print("| | target | median | from, to |\n|---|---|---|---|")
    for name, target, values, unit in rows:
        print(f"| {name} | {target} | {median(values):,.0f} {unit} | {min(values):,.0f} to {max(values):,.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args().rounds)
