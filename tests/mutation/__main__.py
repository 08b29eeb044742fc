"""Breaks the references, module by module, and tells what no test noticed.

python -m tests.mutation                            # all modules; what has a verdict and has not changed since is not tried again
python -m tests.mutation ring zero --keep-killed    # these two; what was killed is not tried again although tests have changed
python -m tests.mutation --write docs/mutants.md    # all, and the page; with modules the page keeps what it says of the others
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from .page import earlier_verdicts, faults, reasons, written_page
from .workspace import MODULES, Verdict, Workspace


def main() -> None:
    """Run, print what survived, and write the page when asked to. The exit code is 1 when something has to be fixed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="modules of solutions/; all when none is named")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("--keep-killed", action="store_true")
    parser.add_argument("--processes", type=int, default=1, help="mutants that are tried at once (default: 1)")
    options = parser.parse_args()
    if unknown := set(options.modules) - set(MODULES):
        parser.error(f"no module of solutions/: {', '.join(sorted(unknown))}")
    why = reasons()
    chosen = options.modules or MODULES
    earlier = earlier_verdicts(options.write.read_text("utf-8")) if options.write and options.modules else {}
    now = {module: tried(module, options.keep_killed, options.processes) for module in chosen}
    verdicts = [(earlier | now)[module] for module in MODULES if module in earlier | now]
    if options.write:
        untried = [module for module in MODULES if module not in earlier | now]
        options.write.write_text(written_page(verdicts, why, untried), "utf-8")
    found = faults(verdicts, why)
    print("\n".join(found))
    sys.exit(bool(found))


def tried(module: str, keep_killed: bool, processes: int) -> Verdict:
    """The verdict on one module, which is tried now if it has none."""
    start, workspace = time.monotonic(), Workspace(module)
    workspace.prepare(keep_killed=keep_killed)
    verdict = workspace.verdict()
    if verdict is None:
        try:
            workspace.run(processes)
        except subprocess.CalledProcessError:
            sys.exit(f"mutmut stopped at {module}; see {workspace.log}")
        verdict = workspace.verdict()
        assert verdict is not None, f"mutmut left mutants of {module} untried; see {workspace.log}"
    alive = len(verdict.survivors)
    seconds = time.monotonic() - start
    print(
        f"{module}: {verdict.total - alive} of {verdict.total} killed, {verdict.timed_out} by the clock, in {seconds:.0f} s",
        flush=True,
    )
    return verdict


if __name__ == "__main__":
    main()
