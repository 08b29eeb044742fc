"""The capstone solved from its printed text alone, as with a calculator: no reference takes part in these answers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from checkout import checkout_bank
from drawing import every_sixth_at_once
from shardwise.bank.posing import pose
from shardwise.kinds.choice import ChoiceForm
from shardwise.kinds.order import OrderForm
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Question

SEEDS = range(12)
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
NUMBER = r"([\d.]+(?: × 10[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
SHARDED = "and gradients are sharded"
FORMULA = "2*d*d + 2*d*d*k/a + 3*d*f"
UNITS = {
    "stage_layers": "layers", "parameters": "parameters", "work": "PFLOP/s*day", "step_work": "FLOP", "compute": "s",
    "layer_weights": "weights", "weights": "GB", "states": "GB", "layer_activations": "MB", "activations": "GB", "held": "GB", "tp_wait": "s",
    "bubble": "%", "larger_held": "GB", "larger_micro_batch": "s", "interleaved": "%", "sync": "ms", "step": "s", "mfu": "%", "duration": "days",
    "checkpoint": "TB", "cadence": "min", "rent": "dollars", "replicas": "",
    "micro_batches": "", "failures": "",
}  # fmt: skip


@cache
def question(seed: int) -> Question:
    return pose(checkout_bank().find("train-a-model"), seed)


def read(text: str, pattern: str) -> float:
    """The number that the text prints at this place."""
    found = re.search(pattern.replace("#", NUMBER), text, re.DOTALL)
    assert found, pattern
    mantissa, _, exponent = found[1].partition(" × 10")
    return float(mantissa) * 10.0 ** int(exponent.translate(SUPERSCRIPTS) or 0)


def reader(asked: Question) -> Callable[[str], float]:
    """What reads numbers from the case's prompt and those of its parts, as they are shown."""
    form: Any = asked.form
    text = " ".join([asked.prompt, *(part.prompt for part in form.parts)])
    text = re.sub(r"(?<=\d)[\u202f,](?=\d{3})", "", to_plain(text).replace("**", ""))
    return lambda pattern: read(re.sub(r"\s+", " ", text), pattern)


def worked_out(asked: Question, slips: dict[str, float]) -> dict[str, float]:
    """Every number of the case, each from those before it; a slip multiplies one of them, and all else goes on from that."""
    it, text = reader(asked), asked.prompt
    gpus, tokens, nodes = it(r"tokens, on # "), it(r"on # tokens"), it(r"tokens, on # ") / 8
    layers, d, f = it("# layers, width"), it("width #,"), it("inner width #")
    a, k, vocabulary = it("# query heads"), it("# key heads,"), it("vocabulary of #[.]")
    tp, pp = it("tensor parallelism # with"), it("# pipeline stages under")
    sequences, length, each = (
        it("Batch: # sequences"),
        it("sequences of # tokens per step"),
        it("in micro-batches of # sequence"),
    )
    peak, profile, watts = it("dense peak of # TFLOP"), it("profile shows # TFLOP"), it("TFLOP/s, # W")
    bus, port, virtual = it("bus bandwidth of # GB"), it("port of # GB"), it("each GPU had # virtual")
    larger, saved = it("micro-batches of # sequences instead"), it("communication together take # %")
    mtbf, node, store = it("[(]MTBF[)] is # h"), it("its part at # GB"), it("accepts at most # GB")
    price, pue, kwh = it("GPU-hour costs # dollar"), it("PUE of # that"), it("pays # dollars? per kWh")
    n: dict[str, float] = {}

    def put(name: str, value: float) -> float:
        n[name] = value * slips.get(name, 1.0)
        return n[name]

    replicas = put("replicas", gpus / (tp * pp))
    m = put("micro_batches", sequences / replicas / each)
    deep = put("stage_layers", math.ceil(layers / pp))
    layer = put("layer_weights", 2 * d * d + 2 * d * d * k / a + 3 * d * f)
    parameters = put("parameters", layers * layer + 2 * vocabulary * d)
    weights = put("weights", 2 * layer * deep / tp / 1e9)
    gradients = 2 * weights / (replicas if SHARDED in text else 1)
    states = put("states", weights + gradients + 6 * weights / replicas)
    kept = put("layer_activations", 2 * each * length * (6 * d + 2 * d * k / a + 3 * f) / tp / 1e6)
    activations = put("activations", min(pp, m) * deep * kept / 1000)
    put("held", states + activations)
    put("larger_held", states + activations * larger / each)
    put("work", 6 * parameters * tokens / 1e15 / 86400)
    batch = sequences * length
    flop = put("step_work", 3 * batch * (2 * (layers * layer + vocabulary * d) + 4 * layers * length * d))
    compute = put("compute", flop / gpus / profile / 1e12)
    wait = put("tp_wait", 4 * deep * m * 2 * (tp - 1) / tp * 2 * each * length * d / bus / 1e9)
    bubble = put("bubble", 100 * (pp - 1) / (m + pp - 1))
    fewer = m * each / larger
    put("larger_micro_batch", (compute + wait) * (1 - saved / 100) * (fewer + pp - 1) / fewer)
    put("interleaved", 100 * (pp - 1) / virtual / (m + (pp - 1) / virtual))
    sync = put("sync", 6 * weights / 2 * (replicas - 1) / replicas / port * 1000)
    busy = compute + wait
    step = put("step", busy / (1 - bubble / 100) + max(0.0, sync / 1000 - busy / m))
    put("mfu", 100 * flop / gpus / peak / 1e12 / step)
    days = put("duration", tokens / batch * step / 86400)
    job = mtbf / gpus
    put("failures", 24 * days / job)
    terabytes = put("checkpoint", 12 * parameters / 1e12)
    put("cadence", math.sqrt(2 * terabytes * 1000 / min(nodes * node, store) * job * 3600) / 60)
    put("rent", gpus * 24 * days * price)
    n["half of the power"] = gpus * watts / 1000 * 24 * days * pue * kwh / 2
    return n


def picked(asked: Question, name: str, *starts: str) -> str:
    """The letters of a part's options or items that begin so, in this order."""
    form: Any = asked.form
    shown = next(part.form for part in form.parts if part.name == name)
    assert isinstance(shown, ChoiceForm | OrderForm)
    rows = shown.options if isinstance(shown, ChoiceForm) else shown.items
    return " ".join(next(row.label for row in rows if row.text.startswith(start)) for start in starts)


def handed_in(asked: Question, slips: dict[str, float] | None = None, digits: int = 4) -> dict[str, str]:
    """The answer cell of a student who writes four figures and continues with all of them."""
    it, n = reader(asked), worked_out(asked, slips or {})
    given = {name: f"{n[name]:.{digits}g} {unit}".strip() for name, unit in UNITS.items()}
    for name in ("replicas", "micro_batches", "stage_layers"):
        given[name] = f"{n[name]:.0f} {UNITS[name]}".strip()
    whole = n["weights"] * (1 if SHARDED in asked.prompt else 3)
    times = it("# pipeline stages under") / it("colleague suggests # stage")
    fits = 1.1 * (n["held"] + (times - 1) * whole) <= it("GPU: # GB")
    not_sharded = ". Only tensors that are not sharded over replicas"
    given["fewer_stages"] = picked(asked, "fewer_stages", ("Yes" if fits else "No") + not_sharded)
    hides = n["sync"] / 1000 <= (n["compute"] + n["tp_wait"]) / n["micro_batches"]
    given["hidden_traffic"] = picked(asked, "hidden_traffic", "Yes, all of it" if hides else "No, a part")
    is_power_more = n["half of the power"] > n["rent"] * 0.5 / (n["mfu"] + 0.5)
    given["cheaper"] = picked(asked, "cheaper", "The one with the " + ("cheaper" if is_power_more else "higher"))
    given["axis_order"] = picked(asked, "axis_order", "Tensor", "Context", "Pipeline", "Data")
    return given | {"layer_formula": FORMULA, "review": wrong_statements(asked)}


def wrong_statements(asked: Question) -> str:
    """The letters of the colleague's statements that a calculator refutes."""
    it, form = reader(asked), asked.form
    shown: Any = next(part.form for part in form.parts if part.name == "review")  # type: ignore[attr-defined]
    gpus, tokens, m = it("tokens with # H100"), it(r"8 key heads\) on # tokens"), it("replicas and # micro-batches")
    right = {
        "activations of # micro-batches": 8,
        "states take # bytes": 2 + 4 + 12 / (gpus / 64),
        "run takes # days?": 6 * 70.6e9 * tokens / (gpus * 0.4 * 989e12) / 86400,
        "bubble is # %": 100 * 7 / (m + 7),
        "saves # %": 100 * (1 - 40 / 41),
        "has # million": 2 * 8192**2 * (1 + 8 / 64) / 1e6,
    }
    found = []
    for option in shown.options:
        text = re.sub(r"(?<=\d)[\u202f,](?=\d{3})", "", to_plain(option.text))
        claims = [(pattern, value) for pattern, value in right.items() if re.search(pattern.replace("#", NUMBER), text)]
        assert claims, text
        if any(abs(read(text, pattern) / value - 1) > 0.02 for pattern, value in claims):
            found.append(option.label)
    return " ".join(found)


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_a_calculator_and_the_printed_text_earn_all(seed: int) -> None:
    feedback = check(question(seed), handed_in(question(seed)))
    assert feedback.points == 38, feedback.say


@pytest.mark.parametrize(
    ("name", "factor", "points"),
    [("layer_weights", 0.8, 1), ("parameters", 0.85, 1), ("weights", 0.5, 1), ("layer_activations", 2.0, 1), ("step_work", 1 / 3, 2),
     ("tp_wait", 0.5, 1), ("bubble", 1.2, 1), ("step", 0.8, 1), ("duration", 1.5, 1), ("micro_batches", 2, 1)],
)  # fmt: skip
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_slip_carried_on_by_hand_costs_its_own_points(seed: int, name: str, factor: float, points: int) -> None:
    feedback = check(question(seed), handed_in(question(seed), {name: factor}))
    lost = [part for part, is_right in feedback.parts.items() if not is_right]
    assert (lost, feedback.points) == ([name], 38 - points), feedback.say
