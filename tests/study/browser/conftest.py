"""Pages of real recordings, and a browser without a network to open them in."""

from __future__ import annotations

import os
import runpy
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from minitorch import study
from minitorch.study.tape import recorder
from tests.study.notebooks import FOLDER, run_notebook

PROGRAMS = Path(__file__).parents[1] / "programs"
PROBES = Path(__file__).with_name("probes.js")
BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"]
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def recording_of(program: str) -> study.Recording:
    """The recording of a program of tests/study; the error that ends it is a step of it."""
    fails = program in {"failing", "twice"}
    error = pytest.raises(RuntimeError) if fails else nullcontext()
    with error, study.record(title=f"{program}.py") as tape:
        runpy.run_path(str(PROGRAMS / f"{program}.py"), run_name="program")
    return tape


def recordings_of(notebook: str) -> list[study.Recording]:
    """All recordings that a notebook of examples/study makes, in order."""
    made: list[study.Recording] = []

    def noted(*args: str) -> study.Recording:
        made.append(study.Recording(*args))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "Recording", noted)
        run_notebook(FOLDER / f"{notebook}.ipynb")
    return made


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the file with the page of a program, which is recorded when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def file_of(program: str) -> Path:
        path = folder / f"{program}.html"
        if not path.exists():
            recording_of(program).save(path)
        return path

    return file_of


@pytest.fixture(scope="session")
def notebook_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Path]]:
    """Returns the files with the pages of a notebook's recordings, out of examples/study."""

    def files_of(notebook: str) -> list[Path]:
        folder = tmp_path_factory.mktemp(notebook)
        paths = []
        for number, tape in enumerate(recordings_of(notebook)):
            paths.append(folder / f"{number}.html")
            tape.save(paths[-1])
        return paths

    return files_of


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = f"no browser on PATH ({', '.join(BROWSERS)}): apt-get install chromium"
        (pytest.fail if "NEEDS_BROWSER" in os.environ else pytest.skip)(missing)
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield started
        started.close()


class Opened:
    """A page in a browser, and whatever it said or asked for that it should not have."""

    def __init__(self, browser: Any, width: int = 1440, height: int = 900) -> None:
        # Scripts of a test are no scripts of the page: its policy must not hold them up.
        self.context = browser.new_context(
            bypass_csp=True, offline=True, viewport={"width": width, "height": height}
        )
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("request", self._note_request)

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "about:")):
            self.complaints.append(request.url)

    def show(self, path: Path) -> Any:
        """Opens a file and waits until it is ready."""
        self.tab.goto(path.as_uri())
        self.tab.wait_for_function("window.ready")
        self.tab.add_script_tag(path=PROBES)
        return self.tab


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages; the test fails if one of them complains or asks for anything."""
    pages: list[Opened] = []

    def open_page(path: Path, width: int = 1440, height: int = 900) -> Any:
        pages.append(Opened(browser, width, height))
        return pages[-1].show(path)

    yield open_page
    complaints = [text for page in pages for text in page.complaints]
    for page in pages:
        page.context.close()
    assert complaints == []
