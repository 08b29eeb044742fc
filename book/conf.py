"""Sphinx's settings for the book. `python -m book` writes what it reads, and builds it."""

from __future__ import annotations

from docutils.nodes import SkipNode, math, math_block
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from shardwise.markdown.mathml import mathml

project = "shardwise"
html_title = "shardwise docs"
extensions = ["myst_parser", "sphinx_design", "book.search"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {  # the font and the accent of the app
    "footer_icons": [],
    "light_css_variables": {
        "font-stack": "system-ui, sans-serif",
        "color-brand-primary": "#0b5cad",
        "color-brand-content": "#0b5cad",
    },
    "dark_css_variables": {"color-brand-primary": "#79b8ff", "color-brand-content": "#79b8ff"},
}
html_use_index = False
templates_path = ["_templates"]
html_sidebars = {"**": ["sidebar/scroll-start.html", "sidebar/navigation.html", "sidebar/scroll-end.html"]}
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_js_files = [("book.js", {"type": "module"})]
html_math_renderer = "mathml"
highlight_language = "none"  # a block that names no language is no Python


def _inline(page: HTML5Translator, node: math) -> None:
    page.body.append(mathml(node.astext()))
    raise SkipNode


def _block(page: HTML5Translator, node: math_block) -> None:
    page.body.append(f'<div class="math" tabindex="0">{mathml(node.astext(), is_block=True)}</div>')
    raise SkipNode


def setup(app: Sphinx) -> None:
    """Formulas become MathML, which browsers show without a script, so the book needs nothing from elsewhere."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
