"""Coverage-guided fuzzing: atheris on each target, in a process of its own, from seeds that the bank gives.

    python tests/fuzz/coverage_guided.py --seconds 60             # every target, a minute each
    python tests/fuzz/coverage_guided.py --seconds 600 template   # one
    python tests/fuzz/coverage_guided.py --replay FILE template   # a finding once more; needs no atheris

Exit code 0: nothing was found; 1: something was, and how to see it again is printed; 2: usage.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LONGEST = {
    "notebook": 20_000,
    "lock": 40_000,
    "template": 4_000,
    "definition": 2_000,
    "frames": 2_000,
}  # else 400 bytes
SLOWEST = 60  # seconds for one input, by the clock: a bound against hanging, also on a busy machine
LARGEST = 2_000  # MB of memory
INSTRUMENTED = ["shardwise", "yaml", "lark", "zipfile"]
TOKENS = {
    "notebook": ["cells", "metadata", "shardwise", "nbformat", "cell_type", "code", "source", "role", "answer", "question", "set",
                 "practice", "seed", "student", "setup", "check", "\\ud800", "null", "[[[[", "NaN"],
    "lock": ["set", "student", "questions", "kind", "form", "key", '"}\n', "null", "[[[[", "NaN", "1e999", "\\ud800"],
    "template": ["kind: ", "points: ", "params:", "choice: ", "range: ", "derived: ", "unit: ", "{{ ", " }}", "{% if ", "%}", "&a ",
                 "*a", "<<: ", "? ", "- ", "|\n", ">-\n", "!!int ", "!!binary ", "!!set ", "---\n", "%YAML 1.1\n", "# ", "0x", ".inf"],
    "frames": ["ok", "raised", "missing", "returned", "memory", '{"d":[[', "]]}", "null", "NaN", "1e999", "\\ud800", "[0,-1,", "[2,0,"],
    "number": ["GB", "GiB", "/s", "e-9", "^", "**", "×10^", "10⁹", " per direction", "duplex", "$", "%", "million", "M", "·", ",", "−", "/"],
    "formula": ["sqrt(", "log2(", "min(", "max(", "ceil(", "⌈", "⌉", "⌊", "⌋", "²", "^", "**", "e9", "·", "÷", "N", "M", "(", ")", ","],
    "answer": ["line", "input", "fix", '{"d":[["', '"]]}', "gpus", "null", "NaN", "1e999", "a, b", "GB", "def ring_ms(", "return", "`", "$"],
}  # fmt: skip
TOKENS["archive"] = ["PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "PK\6\7", ".ipynb", "../", "\0\0\0\0"]
TOKENS["definition"] = ["name: ", "problems:", "due: ", "id: ", "2026-12-01T23:59:00Z", *TOKENS["template"]]
TOKENS["returned"] = [*TOKENS["frames"], "error", "ValueError"]


@dataclass(frozen=True)
class Run:
    """What fuzzing one target came to."""

    target: str
    executions: int
    cpu_seconds: float
    seeds: int
    covered: tuple[int, int]  # places in the code, by the seeds and in the end
    features: tuple[int, int]  # places with how often, by the seeds and in the end
    findings: tuple[Path, ...]
    output: str

    def row(self) -> str:
        """A line of the table."""
        (before, after), (few, many) = self.covered, self.features
        found = f"{len(self.findings)} found" if self.findings else "none"
        return (
            f"{self.target:12} {self.executions:>12,} {self.cpu_seconds:>7.0f} {self.seeds:>6} {before:>8,} → {after:<8,}"
            f" {few:>8,} → {many:<8,} {found}"
        )


HEADING = (
    f"{'target':12} {'executions':>12} {'CPU s':>7} {'seeds':>6} {'coverage':>12}{'':7} {'features':>12}{'':7} findings"
)


def fuzz(target: str, seconds: int, room: Path, findings: Path) -> Run:
    """Fuzz one target in a process of its own."""
    corpus = room / target
    corpus.mkdir()
    sown = _sow(target, corpus)
    tokens = room / f"{target}.dict"
    tokens.write_text("".join(f'"{_escaped(token)}"\n' for token in TOKENS[target]), "ascii")
    already = set(findings.glob(f"{target}-*"))
    command = [
        sys.executable, __file__, "--inside", target, f"-max_total_time={seconds}", f"-timeout={SLOWEST}", f"-report_slow_units={SLOWEST}",
        f"-rss_limit_mb={LARGEST}", f"-max_len={LONGEST.get(target, 400)}", f"-dict={tokens}", "-print_final_stats=1",
        f"-artifact_prefix={findings}/{target}-", str(corpus),
    ]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, env={**os.environ, "TMPDIR": str(room)}, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
    found = tuple(sorted(set(findings.glob(f"{target}-*")) - already))
    if "INITED" not in output and not found:
        raise SystemExit(f"{target} could not be fuzzed:\n{output[-3000:]}")
    return Run(
        target,
        executions=_last(r"(?:^#|^stat::number_of_executed_units: *)(\d+)", output),
        cpu_seconds=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        seeds=sown,
        covered=(_first(r"INITED cov: (\d+)", output), _last(r" cov: (\d+)", output)),
        features=(_first(r"INITED cov: \d+ ft: (\d+)", output), _last(r" ft: (\d+)", output)),
        findings=found,
        output=output,
    )


def _first(pattern: str, output: str) -> int:
    return next(map(int, re.findall(pattern, output, re.MULTILINE)), 0)


def _last(pattern: str, output: str) -> int:
    return max(map(int, re.findall(pattern, output, re.MULTILINE)), default=0)


def _sow(target: str, corpus: Path) -> int:
    """Write the seeds of a target, one a file."""
    from fuzz.seeds import seeds

    for seed in seeds(target):
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    return len(seeds(target))


def _escaped(token: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token.encode())


def inside(target: str, options: list[str]) -> None:
    """The fuzzing process itself: atheris watches which code each input reaches."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from fuzz.targets import TARGETS
    TARGETS[target](b"")  # imports and draws what only the first input waits for
    atheris.Setup([sys.argv[0], *options], TARGETS[target])
    atheris.Fuzz()


def replay(target: str, file: Path) -> None:
    """Put a finding to its target once more; a traceback shows what came out."""
    from fuzz.targets import TARGETS

    TARGETS[target](file.read_bytes())
    print(f"{target} reads {file} without a finding.")


def report(run: Run) -> None:
    """What was found, and how to see it again."""
    for file in run.findings:
        print(f"\n{run.target}: {file.stat().st_size} bytes in {file}: {file.read_bytes()[:300]!r}")
        print(f"again: python {os.path.relpath(__file__)} --replay {file} {run.target}")
    traceback = run.output.partition("=== Uncaught Python exception: ===\n")[2]
    print(traceback.partition("==")[0].strip()[-3000:] if traceback else run.output[-1500:])


def main() -> int:
    """The command."""
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="target", help=f"of {', '.join(TOKENS)}; all when left out")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument(
        "--findings", type=Path, help="folder for inputs that found something; a temporary one when left out"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="put this input to the target and fuzz nothing")
    asked = parser.parse_args()
    strangers = set(asked.targets) - set(TOKENS)
    if strangers or (asked.replay and len(asked.targets) != 1):
        parser.error(f"there is no target {', '.join(strangers)}" if strangers else "--replay needs one target")
    if asked.replay:
        replay(asked.targets[0], asked.replay)
        return 0
    if find_spec("atheris") is None:
        parser.error("atheris is not installed here; it is on PyPI for Linux on x86-64, Python 3.11 to 3.13")
    findings = asked.findings or Path(tempfile.mkdtemp(prefix="shardwise-findings-"))
    findings.mkdir(parents=True, exist_ok=True)
    runs = []
    print(HEADING, flush=True)
    with tempfile.TemporaryDirectory(prefix="shardwise-corpus-") as room:
        for target in asked.targets or TOKENS:
            runs.append(fuzz(target, asked.seconds, Path(room), findings.resolve()))
            print(runs[-1].row(), flush=True)
    found = [run for run in runs if run.findings]
    for run in found:
        report(run)
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))  # for `fuzz`, this folder
    sys.exit(main())
