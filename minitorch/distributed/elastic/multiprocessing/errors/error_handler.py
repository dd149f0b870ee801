"""ErrorHandler: writes the exception that ends a process to a file that its launcher reads."""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

__all__ = ["ErrorHandler"]

logger = logging.getLogger("torch.distributed.elastic.multiprocessing.errors.error_handler")


class ErrorHandler:
    """Writes exceptions as JSON to the file that $TORCHELASTIC_ERROR_FILE names, if it is set.

    As torch.distributed.elastic.multiprocessing.errors.ErrorHandler.
    """

    __module__ = "torch.distributed.elastic.multiprocessing.errors.error_handler"

    def _get_error_file_path(self) -> str | None:
        """The file; None if there is none."""
        return os.environ.get("TORCHELASTIC_ERROR_FILE")

    def initialize(self) -> None:
        """Has Python print all stacks if a signal such as SIGSEGV ends the process."""
        try:
            faulthandler.enable(all_threads=True)
        except Exception as error:  # stderr may be no file
            text = f"Unable to enable fault handler. {type(error).__name__}: {error}"
            warnings.warn(text, stacklevel=2)

    def _write_error_file(self, file_path: str, error_msg: str) -> None:
        try:
            Path(file_path).write_text(error_msg)
        except Exception as error:
            text = f"Unable to write error to file. {type(error).__name__}: {error}"
            warnings.warn(text, stacklevel=2)

    def record_exception(self, e: BaseException) -> None:
        """Writes an exception that is being handled, its traceback and the time to the file."""
        file = self._get_error_file_path()
        if file:
            extra = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
            message = {"message": f"{type(e).__name__}: {e}", "extraInfo": extra}
            Path(file).write_text(json.dumps({"message": message}))

    def override_error_code_in_rootcause_data(
        self, rootcause_error_file: str, rootcause_error: dict[str, Any], error_code: int = 0
    ) -> None:
        """Puts an exit code into what a process wrote, which cannot know it."""
        if "message" not in rootcause_error:
            logger.warning(
                "child error file (%s) does not have field `message`. \n"
                "cannot override error code: %s",
                rootcause_error_file,
                error_code,
            )
        elif isinstance(rootcause_error["message"], str):
            logger.warning(
                "child error file (%s) has a new message format. \nskipping error code override",
                rootcause_error_file,
            )
        else:
            rootcause_error["message"]["errorCode"] = error_code

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Copies what a child wrote to the file of this process, with the child's exit code."""
        found = json.loads(Path(rootcause_error_file).read_text())
        if error_code:
            self.override_error_code_in_rootcause_data(rootcause_error_file, found, error_code)
        own = self._get_error_file_path()
        if own:
            self._rm(own)
            self._write_error_file(own, json.dumps(found))
            logger.info("dumped error file to parent's %s", own)
        else:
            logger.error(
                "no error file defined for parent, to copy child error file (%s)",
                rootcause_error_file,
            )

    def _rm(self, my_error_file: str) -> None:
        """Removes an older file, and logs what it said."""
        if os.path.isfile(my_error_file):
            told = Path(my_error_file).read_text()
            logger.warning(
                "%s already exists and will be overwritten. Original contents:\n%s",
                my_error_file,
                told,
            )
            os.remove(my_error_file)
