"""Profiles of the command: which node, what it must prove, and the key. Kept in the user's configuration folder, mode 0600."""

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import click

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FOLDER_VARIABLE: Final = "SVC_CLIENT_FOLDER"
"""Names another folder for profiles; what it holds is as secret as a key."""


class ProfileError(Exception):
    """A profile that cannot be read or written."""


class NoProfileError(ProfileError):
    """There is no profile of this name; the message says how to make it."""


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
    """Return the file of a profile. Raises ProfileError for a name that is none."""
    if not _NAME.fullmatch(name):
        raise NoProfileError(f"{name!r} is no name of a profile: letters, digits, dots, dashes")
    folder = os.environ.get(FOLDER_VARIABLE) or click.get_app_dir("svc")
    return Path(folder) / f"{name}.json"


def save_profile(name: str, profile: Profile) -> Path:
    """Write a profile so that only its user can read it, and return its file. Raises ProfileError."""
    path = profile_path(name)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        # A draft that a killed run left behind would make O_EXCL fail for ever.
        new.unlink(missing_ok=True)
        # Created with its mode: a file that is opened first and restricted later can be read in between.
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(profile), file, indent=1)
        new.replace(path)
    except OSError as error:
        raise ProfileError(f"{path} cannot be written: {error.strerror}") from None
    return path


def load_profile(name: str) -> Profile:
    """Read a profile. Raises ProfileError, which says how to make one."""
    path = profile_path(name)
    try:
        with path.open(encoding="utf-8") as file:
            # Of the open file: another one could stand at its path by the next look.
            _require_own(path, os.fstat(file.fileno()))
            values = json.load(file)
        return Profile(**{**values, "rpc_urls": tuple(values.get("rpc_urls", ()))})
    except FileNotFoundError:
        raise NoProfileError(f"there is no profile {name!r}; make one: svc login https://HOST --trust FILE") from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ProfileError(f"{path} cannot be read: {type(error).__name__}") from None


def _require_own(path: Path, status: os.stat_result) -> None:
    """Raise ProfileError unless the user alone can read and write a profile. Who writes one names node, trust and key."""
    if os.name != "posix":
        return
    # Refused and not repaired: others may have read the key already, which only a new key mends.
    if status.st_mode & 0o077:
        raise ProfileError(f"{path} can be read by others: chmod 600 it, and take its key for known")
    if status.st_uid != os.geteuid():
        raise ProfileError(f"{path} belongs to another user, who may have chosen the node and the trust in it")
