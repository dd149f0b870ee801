"""Exceptions that processes record, and the table that a launcher makes of them."""

import json

import pytest

from minitorch.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    ErrorHandler,
    ProcessFailure,
    record,
)


def test_the_table_of_failures_has_the_first_one_last():
    first, second = ProcessFailure(1, 11, 3, ""), ProcessFailure(0, 10, -15, "")
    first.timestamp, second.timestamp = 1, 2
    error = ChildFailedError("x.py", {1: first, 0: second})
    text = str(error)
    ended = text.index("exitcode  : -15 (pid: 10)  (SIGTERM)")
    assert ended < text.index("Root Cause (first observed failure):\n[0]:")
    assert "exitcode  : 3 (pid: 11) \n  error_file: <N/A>" in text[ended:]
    assert error.get_first_failure() == (1, first)
    assert "<NO_OTHER_FAILURES>" in str(ChildFailedError("x.py", {1: first}))
    with pytest.raises(AssertionError):
        ChildFailedError("x.py", {})


def test_record_writes_the_exception_and_raises_it(tmp_path, monkeypatch):
    file = tmp_path / "error.json"
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(file))

    @record
    def main(how):
        raise how

    with pytest.raises(ValueError, match="bad luck"):
        main(ValueError("bad luck"))
    told = json.loads(file.read_text())["message"]
    assert told["message"] == "ValueError: bad luck"
    assert told["extraInfo"]["py_callstack"].endswith("ValueError: bad luck\n")
    failure = ProcessFailure(0, 7, 1, str(file))
    assert (failure.error_file, failure.timestamp) == (
        str(file),
        int(told["extraInfo"]["timestamp"]),
    )
    assert main(SystemExit(0)) is None
    with pytest.raises(SystemExit):
        main(SystemExit(2))


def test_record_copies_the_file_of_the_child_that_failed_first(tmp_path, monkeypatch):
    own, child = tmp_path / "own.json", tmp_path / "child.json"
    child.write_text(json.dumps({"message": {"message": "x", "extraInfo": {"timestamp": "5"}}}))
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(own))

    def main():
        raise ChildFailedError("x.py", {0: ProcessFailure(0, 7, 9, str(child))})

    with pytest.raises(ChildFailedError):
        record(main)()
    assert json.loads(own.read_text())["message"]["errorCode"] == 9


def test_record_takes_a_handler_of_its_own():
    class Kept(ErrorHandler):
        seen = []

        def record_exception(self, e):
            self.seen.append(e)

    def main():
        raise KeyError(3)

    with pytest.raises(KeyError):
        record(main, Kept())()
    assert [type(each) for each in Kept.seen] == [KeyError]
