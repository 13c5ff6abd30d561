"""TLS trust of actions and of the node itself: the certificate authorities the machine was built with, whatever the environment says.

The standard library's default context obeys `SSL_CERT_FILE` and `SSL_CERT_DIR`, which name other authorities, and
`SSLKEYLOGFILE`, which makes it write down the keys of every connection. The host can forge the environment.
"""

import functools
import ssl
from pathlib import Path


@functools.cache
def built_in_trust() -> ssl.SSLContext:
    """A client's context that checks certificates and names, with the authorities at OpenSSL's own places.

    Made once, since reading them takes some milliseconds: nobody may change it.
    """
    return own_trust()


def own_trust(authorities: Path | None = None) -> ssl.SSLContext:
    """The same for a library that changes it; a PEM file of `authorities` replaces the built-in ones.

    Raises OSError, or ssl.SSLError, when the file cannot be read or holds no certificate.
    """
    # Not ssl.create_default_context, which reads those variables. PROTOCOL_TLS_CLIENT checks certificates and names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if authorities is not None:
        context.load_verify_locations(cafile=str(authorities))
        return context
    # `openssl_*` are the places compiled into OpenSSL; `cafile` and `capath` would be what the variables say.
    places = ssl.get_default_verify_paths()
    file, folder = Path(places.openssl_cafile), Path(places.openssl_capath)
    if file.exists():
        context.load_verify_locations(cafile=str(file))
    if folder.exists():
        context.load_verify_locations(capath=str(folder))
    return context
