"""Has a script in a cell of text of its own, and in the locked text of a question.

It worked if the page has the script.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.add("<script>$me()</script>", cell_type="markdown")
    desk.cells("question", "number")[0]["source"] += desk.filled("<script>$me()</script>")
    desk.write()


def succeeded(seen: Seen) -> bool:
    return f"<script>{seen.me}".encode() in seen.page
