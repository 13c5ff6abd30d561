"""TLS to what a client of this package names: certificates and names are checked, and no keys are written down."""

import ssl


def trusted_context() -> ssl.SSLContext:
    """Returns a client's context by the system's roots.

    `ssl.create_default_context` would write the keys of every connection to the file that `SSLKEYLOGFILE` names.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context
