"""TLS to the hosts of this package's clients, with certificate checks and without key logs."""

import ssl


def trusted_context() -> ssl.SSLContext:
    """Returns a client's context by the system's roots.

    `ssl.create_default_context` would write every connection's keys to SSLKEYLOGFILE.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context
