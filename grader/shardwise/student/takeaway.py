"""The sentence of a solution that is worth keeping after a right answer.

Solutions end with what follows from the result: the first sentence there that does not repeat the result itself.
"""

from __future__ import annotations

import re

_NOT_PROSE = re.compile(r"[|`>#$-]|\d+\. ")  # how a table, code, a formula or a list begins
# A sentence ends before a capital, a number or a quotation; inside formulas and code nothing ends.
_SENTENCE = re.compile(r"(?:\$[^$]*\$|`[^`]*`|[^$`])+?[.!?][”\"*]*(?=\s+[A-Z0-9“*$`]|\s*\Z)", re.DOTALL)


def takeaway(solution: str) -> str:
    """One sentence of a solution, in Markdown; nothing where its last paragraph is no prose or only states the result.

    >>> takeaway("It takes $2(N-1)/N$.\\n\\nSo it is **3 GB**. With more GPUs this figure hardly grows. It tends to 2.")
    'With more GPUs this figure hardly grows.'
    >>> takeaway("It grows. The rest stays as it was."), takeaway("which is twice as much. The rest stays as it was.")
    ('The rest stays as it was.', 'The rest stays as it was.')
    >>> takeaway("| a | b |\\n|---|---|")
    ''
    """
    last = solution.strip().rpartition("\n\n")[2]
    if _NOT_PROSE.match(last):
        return ""
    for found in _SENTENCE.finditer(last):
        sentence = " ".join(found[0].split())
        if "**" not in sentence and not sentence[0].islower() and sentence.count(" ") > 2:
            return sentence
    return ""
