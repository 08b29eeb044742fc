"""Interactive figures and the planner in JupyterLab."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import Page, expect

from browser.conftest import faults_of, picture
from browser.in_jupyter import of_cells, open_in, put, ready, show
from checkout import checkout_bank
from jupyter_lab import Lab
from shardwise.bank.pages.interactive_figures import moving, moving_names
from shardwise.course.assigning.notebooks import chapter_notebook

CHAPTER = "01-ring-all-reduce"
FIGURES = moving_names(checkout_bank())


@pytest.fixture
def page(in_lab: Page) -> Page:
    """Return the page in which JupyterLab is open, since these tests need no page of their own."""
    return in_lab


@pytest.mark.slow
def test_a_lesson_has_its_pictures_in_lab(page: Page, lab: Lab) -> None:
    faults = faults_of(page, but=["attachment:"])  # Lab puts it into the page before it looks up the picture
    bank = checkout_bank()
    put(lab.notebooks, f"{CHAPTER}.ipynb", chapter_notebook(bank, CHAPTER))
    open_in(page, lab, f"{CHAPTER}.ipynb")
    ready(page)
    pictures = page.locator(".jp-MarkdownOutput img[alt]")
    expect(pictures).to_have_count(len(list((bank.lessons / CHAPTER / "figures").iterdir())))
    for one in pictures.all():
        expect(one).to_have_js_property("complete", True)
        assert one.evaluate("picture => picture.naturalWidth") > 100
    assert faults == []


@pytest.mark.slow
def test_a_figure_moves_in_lab_and_leaves_its_still_in_the_notebook(page: Page, lab: Lab) -> None:
    show(page, lab, "figure.ipynb", of_cells('from shardwise import figure\n\nfigure("ring")', "1 + 1"))
    figure = page.get_by_role("region", name="A ring all-reduce, step by step")
    figure.get_by_role("radio", name="1.5 GB").check()
    figure.get_by_role("button", name="Check my guess").click()
    expect(figure.get_by_role("status").first).to_contain_text("Yes: 1.5 GB.")
    slider = figure.get_by_role("slider", name="GPUs")
    slider.press("ArrowRight")
    for key in "rmabx":  # none of them may reach the cell
        slider.press(key)
    slider.press("Space")
    expect(figure.get_by_text("step 8 of 8")).to_be_visible()
    picture(page, "figure")
    slider.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(lab.notebooks / "figure.ipynb", as_version=4)
    assert [cell.cell_type for cell in saved.cells] == ["code", "code"]
    still = saved.cells[0].outputs[0].data
    assert "data:image/png;base64," in still["text/html"] and "Seven boards" in still["text/plain"]


@pytest.mark.slow  # on a page without Jupyter each moves in the quick run
def test_every_figure_moves_in_lab(page: Page, lab: Lab) -> None:
    faults = faults_of(page)
    cells = [f'from shardwise import figure\n\nfigure("{name}")' for name in FIGURES]
    show(page, lab, "figures.ipynb", of_cells(*cells))
    for name in FIGURES:
        figure = page.get_by_role("region", name=moving([checkout_bank()], name).title, exact=True)
        figure.get_by_role("button", name="Show the figure").press("Enter")
        drawn = figure.locator(".drawing > svg").first
        expect(drawn).to_be_visible()
        before = drawn.inner_html()
        figure.get_by_role("slider").first.press("End")
        expect(drawn).to_be_visible()
        page.wait_for_function(
            "([svg, before]) => svg.isConnected && svg.innerHTML !== before", arg=[drawn.element_handle(), before]
        )
        figure.get_by_role("button", name="Play").press("Enter")
        figure.get_by_role("button", name="Pause").press("Enter")
    assert faults == []


@pytest.mark.slow
def test_a_run_is_planned_in_lab_and_its_first_plan_stays_in_the_notebook(page: Page, lab: Lab) -> None:
    call = 'from shardwise import planner\n\nplanner("llama3-8b", "h100-16", tp=2, pp=2)'
    show(page, lab, "planner.ipynb", of_cells(call, "1 + 1"))
    form = page.locator(".shardwise")
    slider = form.get_by_role("slider", name="TP, tensor")
    slider.press("ArrowRight")
    expect(form).to_contain_text("TP 4 × CP 1 × PP 2 × DP 2")
    for key in "rmabx":  # none of them may reach the cell
        slider.press(key)
    expect(form.locator("svg[aria-label*='Timeline of']")).to_be_visible()
    form.get_by_role("button", name="Search").press("Enter")
    form.locator("circle[role=option]").last.click()
    expect(form.locator("circle[aria-selected=true]")).to_have_count(1)
    picture(page, "planner")
    slider.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(lab.notebooks / "planner.ipynb", as_version=4)
    assert [cell.cell_type for cell in saved.cells] == ["code", "code"]
    assert "TP 2 × CP 1 × PP 2 × DP 4" in saved.cells[0].outputs[0].data["text/plain"]
