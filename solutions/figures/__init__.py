"""The pictures of the lessons, one module a chapter, each drawn from references and oracles.

They have no ground of their own, since a notebook's theme may be light or dark: every colour below stands out by at least
4 to 1 from white and from the #111111 of JupyterLab's dark theme. Blue, orange and green are those that Okabe & Ito (2008)
chose for colour-blind readers, made a little lighter or darker for that.
"""

BLUE, ORANGE, GREEN, GREY = "#2a7fbe", "#cf5b00", "#008a64", "#777b80"
