"""TLS trust of actions and node: the machine's certificate authorities, whatever the environment.

The standard library's default context obeys `SSL_CERT_FILE` and `SSL_CERT_DIR`, which name other
authorities, and `SSLKEYLOGFILE`, which logs connection keys. The host can forge the environment.
"""

import functools
import ssl
from pathlib import Path

from attest.tls import client_context


@functools.cache
def built_in_trust() -> ssl.SSLContext:
    """Returns a client context that checks certificates and names by OpenSSL's built-in paths.

    It is cached, since reading the files takes some milliseconds. A caller must not change it.
    """
    return own_trust()


def own_trust(authorities: Path | None = None) -> ssl.SSLContext:
    """Returns a new context, which the caller may change. `authorities` is a PEM file used instead.

    Raises OSError, or ssl.SSLError, if the file cannot be read or has no certificate.
    """
    context = client_context()
    if authorities is not None:
        context.load_verify_locations(cafile=str(authorities))
        return context
    # `openssl_*` are compiled into OpenSSL; `cafile` and `capath` come from the variables.
    places = ssl.get_default_verify_paths()
    file, folder = Path(places.openssl_cafile), Path(places.openssl_capath)
    if file.exists():
        context.load_verify_locations(cafile=str(file))
    if folder.exists():
        context.load_verify_locations(capath=str(folder))
    return context
