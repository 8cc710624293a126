"""Waiting in line, in closed form: what a simulation and a measurement are compared with.

Sources: W. J. Hopp and M. L. Spearman, Factory Physics, 3rd edition, chapter 8 (Kingman); A. O. Allen, Probability,
Statistics, and Queueing Theory, 2nd edition, chapter 5 (Pollaczek and Khinchine, Erlang C, Allen and Cunneen). Variations are
squared: of a quantity its variance over its squared mean.
"""

import math


def waiting_one(rate: float, service: float, variation: float, arrivals: float = 1.0) -> float:
    """Mean seconds in line before one server: Kingman's formula, which for Poisson arrivals is Pollaczek and Khinchine's.

    Args:
        rate: arrivals a second.
        service: mean seconds of one.
        variation: of the service times.
        arrivals: variation of the times between arrivals; 1 for Poisson.

    Returns:
        infinite where the server cannot keep up.
    """
    busy = rate * service
    if busy >= 1:
        return math.inf
    return busy / (1 - busy) * (arrivals + variation) / 2 * service


def waiting_many(rate: float, service: float, servers: int, variation: float, arrivals: float = 1.0) -> float:
    """Mean seconds in line before several servers: Erlang C, corrected for the variations by Allen and Cunneen."""
    offered = rate * service
    if offered >= servers:
        return math.inf
    return erlang_c(offered, servers) * service / (servers - offered) * (arrivals + variation) / 2


def erlang_c(offered: float, servers: int) -> float:
    """The probability of having to wait, with so much work offered (rate times service) to so many servers."""
    blocked = 1.0  # Erlang B, by its recursion
    for number in range(1, servers + 1):
        blocked = offered * blocked / (number + offered * blocked)
    return servers * blocked / (servers - offered * (1 - blocked))


def seconds_to_drain(waiting: float, rate: float, capacity: float) -> float:
    """How long until ``waiting`` jobs are done beside ``rate`` new ones a second, at ``capacity`` a second; may be infinite."""
    return waiting / (capacity - rate) if capacity > rate else math.inf
