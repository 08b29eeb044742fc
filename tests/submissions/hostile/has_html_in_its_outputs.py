"""Has a script among the outputs that it was saved with, which the grader did not make.

It worked if the page has the script.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": f"<script>{desk.me}()</script>"}}
    desk.cells("answer", "number")[0]["outputs"] = [output]
    desk.write()


def succeeded(seen: Seen) -> bool:
    return f"<script>{seen.me}".encode() in seen.page
