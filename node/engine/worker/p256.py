"""ECDSA and key agreement on NIST's P-256 (FIPS 186-5, SEC 1), in plain integers.

It runs in the action's own process, with keys that are the action's already: nobody is there to time it, so nothing
here is constant-time, and nothing outside that process may use it. Points are (x, y), or None at infinity.
"""

_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the group."""
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
"""The generator."""
_BYTES = 32

Point = tuple[int, int]
_Jacobian = tuple[int, int, int]
_INFINITY = (1, 1, 0)


def parse_point(data: bytes) -> Point:
    """A point of SEC 1, compressed or not. Raises ValueError where it is none of the curve's."""
    if len(data) == 2 * _BYTES + 1 and data[0] == 4:
        x, y = int.from_bytes(data[1:33]), int.from_bytes(data[33:])
    elif len(data) == _BYTES + 1 and data[0] in (2, 3):
        x = int.from_bytes(data[1:])
        # A square root where p is 3 modulo 4; of what is no square it is wrong, which the check below finds.
        y = pow(x**3 - 3 * x + _B, (_P + 1) // 4, _P)
        y = y if y & 1 == data[0] & 1 else _P - y
    else:
        raise ValueError("not a point")
    # A point off the curve leads to a group of small order and reveals the private key (SEC 1 §3.2.2).
    if x >= _P or y >= _P or (y * y - x**3 + 3 * x - _B) % _P:
        raise ValueError("not on the curve")
    return x, y


def encode_point(point: Point) -> bytes:
    """The uncompressed form, 65 bytes."""
    return b"\x04" + point[0].to_bytes(_BYTES) + point[1].to_bytes(_BYTES)


def multiply(scalar: int, point: Point) -> Point:
    """`scalar` times the point. Raises ValueError at infinity: no honest key leads there."""
    product = _affine(_multiply(scalar % N, point))
    if product is None:
        raise ValueError("the point at infinity")
    return product


def sign(private: int, digest: bytes, candidate: int) -> bytes | None:
    """The signature r ‖ s (64 bytes) with the nonce `candidate`; None where the nonce does not serve."""
    if not 0 < candidate < N:
        return None
    r = multiply(candidate, G)[0] % N
    s = pow(candidate, -1, N) * (_scalar_of(digest) + r * private) % N
    return r.to_bytes(_BYTES) + s.to_bytes(_BYTES) if r and s else None


def verify(public: Point, digest: bytes, signature: bytes) -> bool:
    """Return whether r ‖ s is a signature of the digest by the owner of `public`."""
    r, s = int.from_bytes(signature[:_BYTES]), int.from_bytes(signature[_BYTES:])
    # FIPS 186-5 §6.4.2: zero would verify for any message.
    if len(signature) != 2 * _BYTES or not 0 < r < N or not 0 < s < N:
        return False
    inverse = pow(s, -1, N)
    of_digest = _multiply(_scalar_of(digest) * inverse % N, G)
    total = _affine(_add(of_digest, _multiply(r * inverse % N, public)))
    return total is not None and total[0] % N == r


def _scalar_of(digest: bytes) -> int:
    return int.from_bytes(digest[:_BYTES])


def _multiply(scalar: int, point: Point) -> _Jacobian:
    # Multiples 0 to 15, for four bits of the scalar at a time.
    table = [_INFINITY, (*point, 1)]
    for _ in range(14):
        table.append(_add(table[-1], table[1]))
    product: _Jacobian = _INFINITY
    for shift in range(252, -4, -4):
        product = _double(_double(_double(_double(product))))
        product = _add(product, table[scalar >> shift & 15])
    return product


def _double(point: _Jacobian) -> _Jacobian:
    x, y, z = point
    if z == 0 or y == 0:
        return _INFINITY
    zz, yy = z * z % _P, y * y % _P
    m = 3 * (x - zz) * (x + zz) % _P
    s = 4 * x * yy % _P
    doubled_x = (m * m - 2 * s) % _P
    return doubled_x, (m * (s - doubled_x) - 8 * yy * yy) % _P, 2 * y * z % _P


def _add(one: _Jacobian, other: _Jacobian) -> _Jacobian:
    if one[2] == 0 or other[2] == 0:
        return other if one[2] == 0 else one
    (x1, y1, z1), (x2, y2, z2) = one, other
    zz1, zz2 = z1 * z1 % _P, z2 * z2 % _P
    u, s = x1 * zz2 % _P, y1 * z2 * zz2 % _P
    h, r = (x2 * zz1 - u) % _P, (y2 * z1 * zz1 - s) % _P
    if h == 0:
        return _double(one) if r == 0 else _INFINITY
    hh = h * h % _P
    hhh, v = h * hh % _P, u * hh % _P
    x = (r * r - hhh - 2 * v) % _P
    return x, (r * (v - x) - s * hhh) % _P, z1 * z2 * h % _P


def _affine(point: _Jacobian) -> Point | None:
    x, y, z = point
    if z == 0:
        return None
    inverse = pow(z, -1, _P)
    return x * inverse * inverse % _P, y * inverse * inverse * inverse % _P
