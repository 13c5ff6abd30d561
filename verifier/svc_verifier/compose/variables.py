"""Names of environment variables that decide what a program is or whom it believes, whoever sets them.

Sources: the manuals of docker compose, bash, ld.so(8) and of the interpreters; dstack's start script, which takes the
app-compose file from `APP_COMPOSE_FILE` and the guest agent's address from `DSTACK_…`.
"""

import re
from typing import Final

_ENGINE_AND_SHELL: Final = (
    r"(COMPOSE|APP_COMPOSE|DOCKER|BUILDKIT|BUILDX|LD|DSTACK|TAPPD)_.*"
    r"|BASH.*|PATH.*|HOME.*|ENV.*|SHELL.*|IFS.*|CDPATH.*|PS4|PROMPT_COMMAND|GCONV_PATH"
)
_INTERPRETERS: Final = (
    r"PYTHON.*|PERL5?(LIB|OPT|DB).*|RUBY(OPT|LIB)|(JAVA|JDK|_JAVA)_.*OPTIONS|CLASSPATH|JAVA_OPTS|NODE_(OPTIONS|PATH)"
    r"|NPM_CONFIG_.*|LUA_(INIT|PATH|CPATH).*|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|CORECLR_.*|ERL_.*FLAGS|R_PROFILE.*"
    r"|GODEBUG|MALLOC_.*|GLIBC_TUNABLES|LOCPATH|GIT_.*"
)
_WHOM_TO_BELIEVE: Final = (
    r"NODE_(EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|(SSL|OPENSSL|SSLKEYLOG).*|(CURL|REQUESTS|AWS)_CA_BUNDLE"
    r"|(.*_)?PROXY|RES_OPTIONS|HOSTALIASES|LOCALDOMAIN"
)
_CHAIN: Final = (
    r".*(?<!G)RPCS?([_0-9]*|_?(UR[IL]|ENDPOINT|HOST|ADDR|NODE|PROVIDER|SERVER|HTTP|WS).*)|WEB3_PROVIDER.*"
    r"|(.*_)?(CHAIN|ETH|ETHEREUM)_(NODE|PROVIDER|ENDPOINT|UR[IL]).*"
)
"""Where a program asks the chain; a credential such as `RPC_AUTHORIZATION` names no other chain."""

_DECIDING: Final = re.compile(f"{_ENGINE_AND_SHELL}|{_INTERPRETERS}|{_WHOM_TO_BELIEVE}|{_CHAIN}", re.IGNORECASE)


def decides(name: str) -> bool:
    """Whether a variable of that name injects code or redirects trust. Blanks around a name may be lost on its way."""
    return _DECIDING.fullmatch(name.strip()) is not None
