"""Patches a method of str itself, which Python does not allow and ctypes does.

It worked if a wrong choice earns points.
"""

from room import Seen

DUE = "none"
CELL = """
import ctypes

class Always:
    def __eq__(self, other):
        return True

proxy = str.__dict__
table = ctypes.py_object.from_address(id(proxy) + 2 * ctypes.sizeof(ctypes.c_void_p)).value
lower = table["lower"]
table["lower"] = lambda text: Always() if text == "surely" else lower(text)
ctypes.pythonapi.PyType_Modified(ctypes.py_object(str))
"""
ANSWERS = {"choice": "$choice = 'surely'"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
