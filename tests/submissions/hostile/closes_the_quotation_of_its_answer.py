"""Answers with a text that begins with a closing quotation mark, behind which a link in Markdown stands.

It worked if the page has the link.
"""

from room import Seen

DUE = "all but number"
ANSWERS = {"number": "$number = '”\\n\\n[Correct, 2 of 2 points](https://example.org/$me) “'"}


def succeeded(seen: Seen) -> bool:
    return f'href="https://example.org/{seen.me}'.encode() in seen.page
