"""Scripts that packages provide for the forms of their kinds, and how forms get them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError

_NOT_BUILT = 'throw new Error("The forms of {package} have not been built. Run `make desk` in the checkout, and restart the kernel.");'
_offered: dict[str, str] = {}  # by digest


def script_in(package: str) -> str:
    """Return the script of a package, its `static/forms.js`; if it has not been built, a script that reports this.

    >>> "The forms of no_such_package have not been built." in script_in("no_such_package")
    True
    """
    found = find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    for script in (Path(folder) / "static" / "forms.js" for folder in folders):
        if script.is_file():
            return script.read_text("utf-8")
    return _NOT_BUILT.format(package=package)


def offer(scripts: Iterable[str]) -> list[str]:
    """Register the scripts that a form needs, and return their digests, with which the form requests those it lacks."""
    digests = {hashlib.sha256(script.encode()).hexdigest()[:12]: script for script in scripts if script}
    _offered.update(digests)
    return sorted(digests)


def script_reply(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the reply to a form that asks for a script. Raises ShardwiseError."""
    script = _offered.get(str(request.get("digest")))
    if script is None:
        raise ShardwiseError("This request has to give the `digest` of a script that a form needs.")
    return {"script": script}
