"""Which chunks are behind: at a worker that is not heard of, or for far longer than they are expected to take."""

from engine.reporting.batch.worker_watch import LATE_FACTOR, LATE_SECONDS, SILENT_SECONDS, Behind, WorkerWatch

COSTS = {"one": 10.0, "two": 5.0}


def test_nobody_is_behind_at_first_nor_in_time():
    watch = WorkerWatch()
    assert watch.look(0, {}, {}, {}) == []
    assert watch.look(0, {"a": 1}, {"a": ["one"]}, COSTS) == []
    assert watch.look(LATE_SECONDS + LATE_FACTOR * 10, {"a": 2}, {"a": ["one"]}, COSTS) == []


def test_all_that_a_silent_worker_has_is_behind_whatever_its_clock_says():
    watch = WorkerWatch()
    in_hand = {"a": ["one", "two"], "b": []}
    watch.look(0, {"a": 1e9, "b": 5}, in_hand, COSTS)
    watch.look(1, {"a": 1e9, "b": 6}, in_hand, COSTS)
    now = SILENT_SECONDS + 0.5
    assert watch.look(now, {"a": 1e9, "b": 7}, in_hand, COSTS) == [
        Behind("one", "a", now, True),
        Behind("two", "a", now, True),
    ]
    assert watch.present(now) == ["b"]
    assert watch.look(now + 1, {"a": 1e9 + 1, "b": 8}, in_hand, COSTS) == []
    assert watch.present(now + 1) == ["a", "b"]


def test_a_task_is_late_after_a_minute_and_four_times_what_its_worker_has_in_hand():
    watch = WorkerWatch()
    allowed = LATE_SECONDS + LATE_FACTOR * 15
    beats = iter(range(9))
    watch.look(0, {"a": next(beats)}, {"a": ["one", "two"]}, COSTS)
    for now in range(10, int(allowed), 10):
        assert watch.look(now, {"a": next(beats, now)}, {"a": ["one", "two"]}, COSTS) == []
    behinds = watch.look(allowed + 1, {"a": -1}, {"a": ["one", "two"]}, COSTS)
    assert [(one.task, one.silent) for one in behinds] == [("one", False), ("two", False)]


def test_a_task_that_changed_hands_begins_anew():
    watch = WorkerWatch()
    watch.look(0, {"a": 1, "b": 1}, {"a": ["one"], "b": []}, COSTS)
    later = LATE_SECONDS + LATE_FACTOR * 10 + 1
    assert watch.look(later, {"a": 2, "b": 2}, {"a": [], "b": ["one"]}, COSTS) == []
