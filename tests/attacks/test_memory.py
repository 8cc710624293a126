"""Memory under mixed load comes to rest. The long form alone: nothing shorter tells a leak from a cache that fills."""

from pathlib import Path

import pytest

from tests.attacks.mixed_load import Load, with_tenants

MINUTES, WARM_UP = 25, 12
# MB a minute of service and flow together, after the warm-up. It was 107 when LanceDB kept what it read of all old versions;
# since then it is 10, and 4 in the last five minutes.
MOST_GROWTH = 25


@pytest.mark.slow
@pytest.mark.timeout(60 * (MINUTES + 5))
def test_memory_comes_to_rest_under_mixed_load(tmp_path: Path, is_long: bool) -> None:
    if not is_long:
        pytest.skip("takes 25 minutes: MNEME_TEST_ATTACKS=long")
    with with_tenants(tmp_path) as service:
        load = Load(service, pause=0.25)
        load.run(60.0 * MINUTES)
    warm = [each for each in load.samples if each.seconds >= 60 * WARM_UP]
    grown = (warm[-1].service + warm[-1].flow) - (warm[0].service + warm[0].flow)
    assert grown / (MINUTES - WARM_UP) < MOST_GROWTH, load.samples
    assert not any(answer.split()[-1].startswith("5") for answer in load.answers), load.answers
