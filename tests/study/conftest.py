"""Recording the text of a script."""

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch.study import record
from minitorch.study.tape.recorder import Recorder
from minitorch.study.tape.recording import Recording


@pytest.fixture(autouse=True)
def failing_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a failure of the recorder fail the test, which it hides from programs."""

    def failed(self: Recorder, error: BaseException) -> None:
        raise AssertionError("the recorder failed") from error

    monkeypatch.setattr(Recorder, "_failed", failed)


@pytest.fixture(autouse=True)
def no_real_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets record() take minitorch also where other tests have imported real torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Lets reference counts alone free memory."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., Recording]:
    """A function that runs a text under record() and returns the recording."""

    def run(text: str, expects: type[BaseException] | None = None, **options: Any) -> Recording:
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        code = compile(text, str(path), "exec")
        names = {"torch": minitorch, "__name__": "__main__"}
        if expects is None:
            with record("minitorch", title="script.py", **options) as tape:
                exec(code, names)
        else:
            with (
                pytest.raises(expects),
                record("minitorch", title="script.py", **options) as tape,
            ):
                exec(code, names)
        return tape

    return run
