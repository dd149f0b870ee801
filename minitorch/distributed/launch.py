"""torch.distributed.launch: the deprecated name of torch.distributed.run."""

from __future__ import annotations

import argparse
import warnings

from minitorch.distributed import run as launcher


def parse_args(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line; without --use-env, scripts get --local-rank, too."""
    parser = launcher.get_args_parser()
    parser.add_argument("--use-env", "--use_env", default=False, action="store_true")
    return parser.parse_args(args)


def launch(args: argparse.Namespace) -> None:
    """Starts the processes.

    Raises:
        ValueError: the script is no Python and --use-env is not given.
    """
    if args.no_python and not args.use_env:
        raise ValueError(
            "When using the '--no-python' flag, you must also set the '--use-env' flag."
        )
    launcher.run(args)


def main(args: list[str] | None = None) -> None:
    """Runs the command line, and warns that torchrun is the newer name."""
    warnings.warn(
        "The module torch.distributed.launch is deprecated\nand will be removed in future. Use "
        "torchrun.",
        FutureWarning,
        stacklevel=2,
    )
    launch(parse_args(args))


if __name__ == "__main__":
    main()
