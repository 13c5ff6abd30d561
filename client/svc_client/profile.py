"""Profiles of the command: node, trust and key, in the user's configuration folder, mode 0600."""

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import click

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FOLDER_VARIABLE: Final = "SVC_CLIENT_FOLDER"
"""Environment variable with another folder for profiles, which is as secret as a key."""


class ProfileError(Exception):
    """A profile that cannot be read or written."""


class NoProfileError(ProfileError):
    """No profile has this name. The message says how to make one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A node with its trust and key. Paths are absolute."""

    url: str
    api_key: str = field(default="", repr=False)
    trust: str | None = None
    app_id: str | None = None
    rpc_urls: tuple[str, ...] = field(default=(), repr=False)
    chain_id: int | None = None
    account_contract: str | None = None
    insecure_dev_root: str | None = None
    proxy_url: str | None = None


def profile_path(name: str) -> Path:
    """Returns the file of a profile. Raises ProfileError for a malformed name."""
    if not _NAME.fullmatch(name):
        raise NoProfileError(f"{name!r} is no name of a profile: letters, digits, dots, dashes")
    folder = os.environ.get(FOLDER_VARIABLE) or click.get_app_dir("svc")
    return Path(folder) / f"{name}.json"


def save_profile(name: str, profile: Profile) -> Path:
    """Writes a profile that only its user can read, and returns its file. Raises ProfileError."""
    path = profile_path(name)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        # A draft of a killed run would make O_EXCL fail at every later save.
        new.unlink(missing_ok=True)
        # Create it with its mode: a file restricted after it is opened can be read in between.
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(profile), file, indent=1)
        new.replace(path)
    except OSError as error:
        raise ProfileError(f"{path} cannot be written: {error.strerror}") from None
    return path


def load_profile(name: str) -> Profile:
    """Reads a profile. Raises ProfileError, which says how to make one."""
    path = profile_path(name)
    try:
        with path.open(encoding="utf-8") as file:
            # Check the open file, since another one could replace it at its path.
            _require_own(path, os.fstat(file.fileno()))
            values = json.load(file)
        return Profile(**{**values, "rpc_urls": tuple(values.get("rpc_urls", ()))})
    except FileNotFoundError:
        raise NoProfileError(f"there is no profile {name!r}; make one: svc login https://HOST --trust FILE") from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ProfileError(f"{path} cannot be read: {type(error).__name__}") from None


def _require_own(path: Path, status: os.stat_result) -> None:
    """Raises ProfileError if another user can read or write the profile, and so choose the node."""
    if os.name != "posix":
        return
    # Refuse, and do not repair: others may have read the key, and only a new key helps.
    if status.st_mode & 0o077:
        raise ProfileError(f"{path} can be read by others: chmod 600 it, and take its key for known")
    if status.st_uid != os.geteuid():
        raise ProfileError(f"{path} belongs to another user, who may have chosen the node and the trust in it")
