"""Intel's root of trust, pinned: the file beside this one, held to its SHA-256 each time it is read."""

import hashlib
from functools import cache
from importlib import resources
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode

INTEL_SGX_ROOT_CA_SHA256: Final = bytes.fromhex("44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
"""Of the DER of "Intel SGX Root CA", valid until 2049, as Intel's provisioning service distributes it."""


@cache
def intel_root() -> bytes:
    """The DER certificate. Raises VerifierError(BAD_ROOT) when the package's file is not it."""
    pem = resources.files("svc_verifier.hardware").joinpath("intel_sgx_root_ca.pem").read_bytes()
    der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    if hashlib.sha256(der).digest() != INTEL_SGX_ROOT_CA_SHA256:
        raise VerifierError(VerifierErrorCode.BAD_ROOT, "the package's root certificate is not Intel's: reinstall it")
    return der
