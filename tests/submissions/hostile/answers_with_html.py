"""Answers with an element that runs a script, for a page that shows answers.

It worked if the page has the element.
"""

from room import Seen

DUE = "all but number choice formula"
ANSWERS = {
    "number": "$number = '<img src=x onerror=$number()>'",
    "choice": "$choice = '<img src=x onerror=$choice()>'",
    "formula": "$formula = '<img src=x onerror=$formula()>'",
}


def succeeded(seen: Seen) -> bool:
    return b"<img src=x" in seen.page
