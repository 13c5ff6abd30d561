"""Entry point of `svc-node` and `python -m node`. It sets what Ctrl-C does before the import."""

import signal


def main() -> None:
    """Runs the command line. Ctrl-C during its import ends the process without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from node.cli import main as command_line  # noqa: PLC0415 - importing it takes long enough to be interrupted

    command_line()


if __name__ == "__main__":
    main()
