"""Scripts that packages bring for the forms of their kinds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_NOT_BUILT = 'throw new Error("The forms of {package} have not been built. Run `make desk` in the checkout, and restart the kernel.");'


def script_in(package: str) -> str:
    """Return the script of a package, its `static/forms.js`; where that has not been built, a script that reports it.

    >>> script_in("no_such_package")
    'throw new Error("The forms of no_such_package have not been built. Run `make desk` in the checkout, and restart the kernel.");'
    """
    found = find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    for script in (Path(folder) / "static" / "forms.js" for folder in folders):
        if script.is_file():
            return script.read_text("utf-8")
    return _NOT_BUILT.format(package=package)
