"""Prints and answers with a link in Markdown that runs a script, for a page that is made from Markdown.

It worked if the page has the link.
"""

from room import Seen

DUE = "all but number choice"
CELL = """
print("[Your points](javascript:$me)")
raise ValueError("[Your points](javascript:$me) <javascript:$me>")
"""
ANSWERS = {
    "number": "$number = '[Your points](javascript:$me)'",
    "choice": "$choice = '[Your points](javascript:$me)'",
}


def succeeded(seen: Seen) -> bool:
    return b'href="javascript:' in seen.page
