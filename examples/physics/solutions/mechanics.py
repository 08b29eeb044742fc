"""Mechanics: a ball in flight, a crate on a ramp, a pendulum and a seesaw."""

from __future__ import annotations

import math


def projectile_range(*, speed: float, angle: float, gravity: float) -> float:
    """Distance at which a ball lands that was thrown from the ground.

        R = v² sin(2θ) / g

    Units:   metres per second, radians, metres per second squared. Result in metres.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 3.3.

    >>> round(projectile_range(speed=20, angle=math.radians(45), gravity=9.81), 2)
    40.77
    """
    return speed**2 * math.sin(2 * angle) / gravity


def ramp_acceleration(*, gravity: float, angle: float, friction: float) -> float:
    """Acceleration of a crate that slides down a ramp with friction.

        a = g (sin θ - μ cos θ)

    The mass cancels: the weight, the normal force and the friction are all proportional to it.

    Units:   metres per second squared, radians; friction is the coefficient. Result in metres per second squared.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 5.3.

    >>> round(ramp_acceleration(gravity=9.81, angle=math.radians(30), friction=0.2), 3)
    3.206
    """
    return gravity * (math.sin(angle) - friction * math.cos(angle))


def pendulum_period(*, length: float, gravity: float) -> float:
    """Period of a pendulum that swings through a small angle.

        T = 2π √(L / g)

    Units:   metres, metres per second squared. Result in seconds.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 14.5.

    >>> round(pendulum_period(length=1, gravity=9.81), 3)
    2.006
    """
    return 2 * math.pi * math.sqrt(length / gravity)


def balance_distance(
    *, far_mass: float, far_distance: float, near_mass: float, near_distance: float, adult_mass: float
) -> float:
    """Distance from the pivot at which an adult balances two children on the other side of a seesaw.

        M d = m₁ d₁ + m₂ d₂

    Units:   kilograms and metres. Result in metres.
    Source:  Young & Freedman 2020, University Physics, 15th ed., section 11.3.

    >>> balance_distance(far_mass=20, far_distance=2, near_mass=30, near_distance=1, adult_mass=70)
    1.0
    """
    return (far_mass * far_distance + near_mass * near_distance) / adult_mass
