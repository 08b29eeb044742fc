"""Answers with an object whose class is called like a link in Markdown, for reports that say what type an answer has.

It worked if the page has the link.
"""

from room import Seen

DUE = "all but number"
CELL = """
def called(name):
    return type(name, (), {})()
"""
ANSWERS = {"number": "$number = called('[Correct, 2 of 2 points](https://example.org/$me)')"}


def succeeded(seen: Seen) -> bool:
    return f'href="https://example.org/{seen.me}'.encode() in seen.page
