"""Prints and answers with pictures from elsewhere, in HTML and in Markdown, to see when the page is read.

It worked if the page has a picture from elsewhere.
"""

from room import Seen

DUE = "all but choice"
CELL = """
both = "<img src='http://$me.test/'> ![x](http://$me.test/)"
print(both)
raise ValueError(both)
"""
ANSWERS = {"choice": """$choice = "<img src='http://$me.test/'> ![x](http://$me.test/)" """}


def succeeded(seen: Seen) -> bool:
    return any(start + seen.me.encode() in seen.page for start in (b"<img src='http://", b'<img src="http://'))
