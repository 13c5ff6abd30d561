"""The entry of `svc-verify`. It loads a command when one is run; the help needs only click."""

import sys
from typing import Any, Final, NoReturn

import click

NAMED_HOST: Final = "host"
PLUMBING: Final = "plumbing"
EPILOG: Final = (
    "Exit codes: 0 accepted, 1 internal error, 2 misuse, 10 rejected, 20 could not decide, 30 a file that was given "
    "cannot be read."
)


class HostGroup(click.Group):
    """A group whose first argument may be a host, as in `svc-verify https://…`.

    `short_helps` names the commands, which are imported when one is asked for.
    """

    short_helps: Final = {
        NAMED_HOST: "Verify a host; the word may be left out.",
        "import": "Judge evidence that was brought as files.",
        "init": "Propose a trust file for HOST, saying why for each value; you decide.",
        "replay": "Judge a BUNDLE again, offline, at its recorded time.",
        "watch": "Look at HOST repeatedly; report a new compose hash, owner, certificate or TCB status.",
    }

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See click. Inserts the command `host` before a host."""
        own = {*self.short_helps, PLUMBING, "-h", "--help", "--version"}
        # Own commands win: a host whose name is a command's can be given as https://.
        if args and args[0] not in own and _may_be_host(args[0]):
            args = [NAMED_HOST, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """See click, which would end Ctrl-C with the exit code of a fault."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            from svc_verifier.errors import Exit  # noqa: PLC0415 - the help needs none

            _end(Exit.UNDECIDED, "stopped from outside")

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        """Returns the commands without the plumbing, which is for other implementations."""
        return sorted(self.short_helps)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        """See click. Does not load the commands for their help."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self.short_helps.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """See click. Loads the command."""
        if cmd_name == PLUMBING:
            from svc_verifier.cli.plumbing import plumbing  # noqa: PLC0415 - loaded when asked for

            return plumbing
        if cmd_name not in self.short_helps:
            return None
        from svc_verifier.cli.commands import COMMANDS  # noqa: PLC0415 - likewise

        return COMMANDS[cmd_name]


def _may_be_host(argument: str) -> bool:
    """Whether a first argument is an option or names a host; a bare word is a mistyped command."""
    return argument.startswith("-") or argument == "localhost" or any(sign in argument for sign in ".:/")


@click.group(
    cls=HostGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EPILOG,
    subcommand_metavar="HOST [OPTIONS] | COMMAND …",
)
@click.version_option(package_name="svc-verifier", prog_name="svc-verify")
def commands() -> None:
    """Is HOST a genuine TEE that runs exactly the code its contract approves?

    `svc-verify https://HOST --app-id 0x…` closes the whole chain: hardware, boot, compose file,
    images, TLS on this very connection, approval on chain. `svc-verify host --help` lists its
    options.
    """


def main() -> None:
    """The script `svc-verify`."""
    try:
        commands(prog_name="svc-verify")
    # Exit 1 and no traceback, whose locals could show credentials of providers.
    except Exception as error:  # noqa: BLE001 - a fault of ours must not look like a verdict
        _end_with(error)


def _end_with(error: Exception) -> NoReturn:
    from svc_verifier.errors import (  # noqa: PLC0415 - likewise
        Exit,
        VerifierError,
        exit_of,
    )
    from svc_verifier.trust_file import ContradictionError  # noqa: PLC0415 - the help needs none of these

    if isinstance(error, ContradictionError):
        _end(Exit.MISUSE, str(error))
    if isinstance(error, VerifierError):
        _end(exit_of(error.code), error.message)
    _end(Exit.INTERNAL, f"internal error ({type(error).__name__}): nothing was decided")


def _end(code: int, message: str) -> NoReturn:
    from svc_verifier.rendering.text import plain  # noqa: PLC0415 - only here

    click.echo(f"svc-verify: {plain(message)}", err=True)
    sys.exit(code)
