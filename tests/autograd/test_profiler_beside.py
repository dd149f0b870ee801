"""Events of operations that run beside the program."""

from minitorch.autograd.profiler import profile, record_function, with_events


def steps(done):
    yield 1
    done.append(True)


def test_an_event_ends_with_the_steps_of_its_operation():
    done = []
    with profile() as taken:
        operation = with_events(steps(done), [("beside", [])])
        with record_function("call"):
            for _ in operation:
                pass
    found = {each.name: each for each in taken.function_events}
    assert done == [True]
    assert found["beside"].is_async
    assert found["beside"].cpu_parent is None
    assert not found["call"].is_async
    assert found["call"].time_range.end >= found["beside"].time_range.end


def test_without_a_profile_the_steps_are_left_alone():
    operation = steps([])
    assert with_events(operation, [("beside", [])]) is operation
