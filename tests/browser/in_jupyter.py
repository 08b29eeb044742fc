"""Notebooks in the front ends of Jupyter, driven by commands, since clicks on “Run All” are ignored until the kernel is ready."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Error, Page

from jupyter_lab import KERNEL, App, Lab

READY = """async () => {
  const { shell, restored } = window.jupyterapp;
  await restored;
  const { context } = shell.currentWidget;
  await context.ready;
  await context.sessionContext.ready;
  await context.sessionContext.session.kernel.info;
}"""
# As a click on its name in the file browser does.
OPEN = "(path) => window.jupyterapp.commands.execute('docmanager:open', { path }).then(() => null)"
IS_OPEN = "() => window.jupyterapp?.shell?.currentWidget?.context"
PATIENCE_MS = 20_000  # for one step on a busy machine
# JupyterLab clears its state if `reset` is in the address. It may reload the page for that, and then removes `reset`.
IS_RESET = "() => !/[?&]reset/.test(location.search)"
IS_TIDY = """async () => {
  await window.jupyterapp?.restored;
  return Boolean(!/[?&]reset/.test(location.search) && window.jupyterapp && document.body.dataset.jpThemeLight === "true" && !document.querySelector(".jp-Dialog"));
}"""
TIDY_UP = """async () => {
  const { commands, shell } = window.jupyterapp;
  for (const widget of [...shell.widgets("main")]) {
    await widget.context?.sessionContext.shutdown();
    widget.dispose();
  }
  await commands.execute("apputils:change-theme", { theme: "JupyterLab Light" });
}"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


def of_cells(*sources: str, title: str = "") -> dict[str, Any]:
    """Return a notebook with these code cells, optionally below a title and a heading, as in a chapter."""
    above = [new_markdown_cell(f"# {title}\n\n## Questions")] if title else []
    return dict(new_notebook(cells=[*above, *map(new_code_cell, sources)]))


def put(folder: Path, name: str, notebook: Mapping[str, Any]) -> Path:
    """Write a notebook into a folder, for the kernel of the tests."""
    metadata = {**notebook["metadata"], "kernelspec": {"name": KERNEL, "display_name": KERNEL}}
    (folder / name).write_text(json.dumps({**notebook, "metadata": metadata}), "utf-8")
    return folder / name


def show(page: Page, lab: Lab, name: str, notebook: Mapping[str, Any], app: App = "lab") -> None:
    """Open a notebook in an application, close those of other tests, and run it from top to bottom."""
    put(lab.notebooks, name, notebook)
    open_in(page, lab, name, app)
    run_all(page)


def open_in(page: Page, lab: Lab, name: str, app: App = "lab") -> None:
    """Open a notebook in the JupyterLab that the page shows, or load the application if it shows none."""
    if app == "lab" and page.url.startswith(f"{lab.url}/lab"):
        for _ in range(4):  # JupyterLab drops what is opened while it still clears its state after `reset`
            with suppress(Error):
                page.evaluate(OPEN, name)
                page.wait_for_function(IS_OPEN, timeout=PATIENCE_MS / 4)
                break
    else:
        page.goto(lab.address(name, app) + "&reset")
        if app == "lab":
            page.wait_for_function(IS_RESET)


def ready(page: Page) -> None:
    """Wait until the open notebook can be run."""
    page.wait_for_function(IS_OPEN)
    page.evaluate(READY)


def run_all(page: Page) -> None:
    """Run the open notebook from top to bottom."""
    ready(page)
    page.evaluate(RUN_ALL)
