"""`svc-devkit`, or `python -m devkit`. Runs the command line with a handler of Ctrl-C."""

import signal


def main() -> None:
    """Run the command line. Ctrl-C during the imports ends the process without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from devkit.cli import main as command_line  # noqa: PLC0415 - importing it takes long enough to be interrupted

    command_line()


if __name__ == "__main__":
    main()
