"""Loads settings from a file and secrets from the environment; in development from both.

The host can forge a confidential VM's environment, but not the file, which is part of the measured
compose file (ADR 0004).
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from node.errors import StartupRefusedError
from node.settings import NAMED_AUTHORIZATION, PREFIX, SECRETS, Settings, secrets_of

_AUTHORIZATIONS: Final = "rpc_authorizations"
AnySettings = TypeVar("AnySettings", bound=Settings)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StartupRefusedError("--config", f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StartupRefusedError("--config", f"{path} is not TOML: {error}.") from error


def _read_text(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StartupRefusedError("--config-text", f"is not TOML: {error}.") from None


def _refusal(error: ValidationError) -> StartupRefusedError:
    """Returns the first fault by the setting's name, without the value, which may be secret."""
    # One fault is a line to act on, and often causes the others.
    fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return StartupRefusedError(name, "there is no such setting; `svc-node settings` lists them all.")
    return StartupRefusedError(name, f"{fault['msg']}.")


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables with our prefix, by setting name."""
    ours = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    return {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}


def _build(kind: type[AnySettings], values: Mapping[str, Any]) -> AnySettings:
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise _refusal(error) from None


def settings_for_serving(path: Path, environment: Mapping[str, str]) -> Settings:
    """Returns the settings of the file with the secrets of `environment`.

    Raises StartupRefusedError for a fault in the file, a secret in it, or any `SVC_` variable that
    is no listed secret.
    """
    return _for_serving(_read_file(path), environment)


def settings_for_serving_from_text(text: str, environment: Mapping[str, str]) -> Settings:
    """Returns the settings of a text, an argument in the measured compose file (ADR 0018)."""
    return _for_serving(_read_text(text), environment)


def _for_serving(values: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    secrets = SECRETS | {_AUTHORIZATIONS}
    if misplaced := sorted(name for name in values if name in secrets or name.startswith(NAMED_AUTHORIZATION)):
        raise StartupRefusedError(misplaced[0], "a secret does not belong in the measured file; set it as a variable.")
    given = _environment(environment)
    # Refuse instead of ignoring, since an operator who sets one expects it to work.
    if forged := sorted(given.keys() - secrets_of(_endpoints(values))):
        name = PREFIX + forged[0].upper()
        if forged[0].startswith(NAMED_AUTHORIZATION):
            entry = forged[0].removeprefix(NAMED_AUTHORIZATION)
            raise StartupRefusedError(name, f"no entry of rpc_endpoints has the name {entry}: write {entry}=https://….")
        raise StartupRefusedError(
            name,
            "serve takes its settings from --config or --config-text alone, since the host can forge the environment; unset it.",
        )
    return _build(Settings, {**values, **_gathered(given)})


def _endpoints(values: Mapping[str, Any]) -> Sequence[str]:
    """Returns the entries of `rpc_endpoints` that are texts; reading refuses all others."""
    given = values.get("rpc_endpoints", ())
    entries = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else []
    return [entry.strip() for entry in entries if isinstance(entry, str)]


def _gathered(environment: Mapping[str, str]) -> dict[str, Any]:
    """Returns the variables, with the secrets of named providers as one setting."""
    named = {name: value for name, value in environment.items() if name.startswith(NAMED_AUTHORIZATION)}
    others: dict[str, Any] = {name: value for name, value in environment.items() if name not in named}
    if named:
        others[_AUTHORIZATIONS] = {name.removeprefix(NAMED_AUTHORIZATION): value for name, value in named.items()}
    return others


def settings_for_development(kind: type[AnySettings], path: Path | None, environment: Mapping[str, str]) -> AnySettings:
    """Returns settings from environment, file and defaults of `kind`, in this order of priority."""
    values = {} if path is None else _read_file(path)
    return _build(kind, values | _gathered(_environment(environment)))
