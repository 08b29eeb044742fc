"""Mechanics without the formulas: a flight in steps, forces as vectors, a pendulum in steps, torques that cancel."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function changes its sign, by bisection."""
    sign = of(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (of(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


def projectile_range(*, speed: float, angle: float, gravity: float) -> float:
    """Fly in 50 steps of equal time, and adjust the time until the ball is on the ground at the end."""

    def flown(time: float) -> complex:
        place, velocity, step = 0j, cmath.rect(speed, angle), time / 50
        for _ in range(50):
            later = velocity - 1j * gravity * step
            place += (velocity + later) / 2 * step
            velocity = later
        return place

    longest = 4 * speed / gravity
    return flown(_root(lambda time: flown(time).imag, longest / 1000, longest)).real


def ramp_acceleration(*, gravity: float, angle: float, friction: float) -> float:
    """Add the forces on one kilogram as vectors, with the normal force that keeps the crate on the ramp."""
    down, out = -cmath.rect(1, angle), cmath.rect(1, angle + math.pi / 2)

    def total(normal: float) -> complex:
        return -1j * gravity + normal * out - friction * normal * down

    def along(force: complex, direction: complex) -> float:
        return (force * direction.conjugate()).real

    normal = _root(lambda newtons: along(total(newtons), out), 0, 2 * gravity)
    return along(total(normal), down)


def pendulum_period(*, length: float, gravity: float) -> float:
    """Time a body on a circle: the shadow of one that turns with the same restoring acceleration."""
    turns_per_second = _root(lambda rate: gravity - length * (2 * math.pi * rate) ** 2, 0, 1000)
    return 1 / turns_per_second


def balance_distance(
    *, far_mass: float, far_distance: float, near_mass: float, near_distance: float, adult_mass: float
) -> float:
    """Move the adult until the centre of mass of all three is at the pivot."""
    total = far_mass + near_mass + adult_mass

    def centre(distance: float) -> float:
        return (adult_mass * distance - far_mass * far_distance - near_mass * near_distance) / total

    return _root(centre, 0, 1000)
