"""Names of variables that decide what a program is, whoever set them: no secret has such a name, and nobody may accept one."""

import re
from typing import Final

_OF_THE_ENGINE: Final = (
    r"(COMPOSE|DOCKER|BUILDKIT|BUILDX|LD)_.*|BASH.*|PATH.*|HOME.*|ENV.*|SHELL.*|IFS.*|CDPATH.*|GCONV_PATH"
)
_OF_PROGRAMS: Final = (
    r"PYTHON.*|PERL5?(LIB|OPT|DB).*|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GODEBUG|MALLOC_.*|GLIBC_TUNABLES|LOCPATH"
    r"|NODE_(OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|(SSL|OPENSSL)_.*|(CURL|REQUESTS)_CA_BUNDLE|.*_PROXY"
)
"""Interpreters, the C library, who is trusted for TLS, and who is between."""
_DECIDING: Final = re.compile(f"{_OF_THE_ENGINE}|{_OF_PROGRAMS}", re.IGNORECASE)


def decides(name: str) -> bool:
    """Whether a variable of that name changes what runs, or whom it believes."""
    return _DECIDING.fullmatch(name.strip()) is not None
