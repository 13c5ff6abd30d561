"""TLS to the hosts of clients, with certificate checks, without key logs, alike on every Python."""

import ssl


def client_context() -> ssl.SSLContext:
    """Returns a client's context that checks certificates and names, and trusts no authority yet.

    `ssl.create_default_context` would write every connection's keys to SSLKEYLOGFILE, and from
    Python 3.13 on refuse a private authority whose certificates have no key identifiers.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags = ssl.VerifyFlags.VERIFY_X509_TRUSTED_FIRST
    return context


def trusted_context() -> ssl.SSLContext:
    """Returns a client's context by the system's roots."""
    context = client_context()
    context.load_default_certs()
    return context
