"""Mechanics without the formulas: a flight in steps, forces as vectors, a swing as a power series, torques that cancel."""

from __future__ import annotations

import cmath
import math

from .roots import root


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
    return flown(root(lambda time: flown(time).imag, longest / 1000, longest)).real


def ramp_acceleration(*, gravity: float, angle: float, friction: float) -> float:
    """Add the forces on one kilogram as vectors, with the normal force that keeps the crate on the ramp."""
    down, out = -cmath.rect(1, angle), cmath.rect(1, angle + math.pi / 2)

    def total(normal: float) -> complex:
        return -1j * gravity + normal * out - friction * normal * down

    def along(force: complex, direction: complex) -> float:
        return (force * direction.conjugate()).real

    normal = root(lambda newtons: along(total(newtons), out), 0, 2 * gravity)
    return along(total(normal), down)


def pendulum_period(*, length: float, gravity: float) -> float:
    """Release the pendulum at rest, and time a quarter of its period: until it hangs straight down."""

    def angle(time: float) -> float:
        """The angle as a fraction of the first one: the equation of motion gives every term from the one before."""
        terms = [1.0]
        for power in range(2, 40, 2):
            terms.append(-terms[-1] * gravity / length * time**2 / (power * (power - 1)))
        return math.fsum(terms)

    return 4 * root(angle, 0, 2 * math.sqrt(length / gravity))


def balance_distance(
    *, far_mass: float, far_distance: float, near_mass: float, near_distance: float, adult_mass: float
) -> float:
    """Move the adult until the centre of mass of all three is at the pivot."""
    total = far_mass + near_mass + adult_mass

    def centre(distance: float) -> float:
        return (adult_mass * distance - far_mass * far_distance - near_mass * near_distance) / total

    return root(centre, 0, 1000)
