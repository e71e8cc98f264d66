"""Limits count for each caller, in memory or in Redis, and say how long to wait."""

import os
import uuid

import pytest

from engine.model.errors import TooManyRequests, Usage
from engine.web.admission.limits import Limit, Limiter

REDIS = os.environ.get("SVC_TEST_REDIS_URL", "redis://127.0.0.1:6379/5")
LIMIT = Limit("test", 3, 60)


def redis_url():
    try:
        import redis

        with redis.Redis.from_url(REDIS) as probe:
            probe.ping()
    except Exception:
        if os.environ.get("SVC_TEST_REQUIRE_SERVICES") == "1":
            raise
        pytest.skip("no Redis server answers")
    return REDIS


@pytest.fixture(params=["memory", "redis"])
def url(request):
    return "memory://" if request.param == "memory" else redis_url()


def test_the_fourth_of_three_is_refused_with_the_time_to_wait(url):
    limiter, who = Limiter(url), uuid.uuid4().hex
    for _ in range(3):
        limiter.check(LIMIT, who)
    with pytest.raises(TooManyRequests, match="At most 3 requests in 60 seconds") as caught:
        limiter.check(LIMIT, who)
    assert 1 <= int(caught.value.headers["Retry-After"]) <= 61
    limiter.check(LIMIT, uuid.uuid4().hex)


def test_processes_share_what_redis_counts():
    url, who = redis_url(), uuid.uuid4().hex
    for limiter in (Limiter(url), Limiter(url), Limiter(url)):
        limiter.check(LIMIT, who)
    with pytest.raises(TooManyRequests):
        Limiter(url).check(LIMIT, who)


def test_a_place_that_does_not_exist_is_one_sentence():
    with pytest.raises(Usage, match="SVC_RATE_LIMIT_URL"):
        Limiter("nowhere://x")
