#!/bin/sh
# make_venv.sh PYTHON VENV: make the virtual environment, or say which one command is missing on this machine.
set -eu
python=$1
venv=$2
if ! command -v "$python" >/dev/null 2>&1; then
  echo "setup: '$python' is not here. On Debian: apt-get install -y python3 python3-venv" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "setup: $("$python" --version) is too old, 3.11 or newer is needed. Name another one: make setup PYTHON=python3.12" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 14))'; then
  echo "setup: $("$python" --version) is newer than the locked packages are built for (3.11 to 3.13). Name another one: make setup PYTHON=python3.13" >&2
  exit 1
fi
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
  echo "setup: this Python cannot make virtual environments. On Debian: apt-get install -y python3-venv" >&2
  exit 1
fi
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  echo "setup: making $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv"
fi
