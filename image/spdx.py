"""Licences by SPDX's names (https://spdx.org/licenses), as far as parts of the image have them, and expressions of them."""

import re
from typing import Final

SPDX: Final = frozenset(
    """0BSD Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python GPL-2.0-only GPL-2.0-or-later
    ISC LGPL-2.1-only LGPL-2.1-or-later MIT MIT-0 MPL-2.0 PSF-2.0 Python-2.0 Unicode-3.0 Unlicense Zlib""".split()  # noqa: SIM905 - reads better as a text
)
_EXCEPTIONS: Final = frozenset({"LLVM-exception", "GCC-exception-3.1"})
_OPERATORS: Final = frozenset({"AND", "OR", "WITH"})


def is_expression(text: str) -> bool:
    """Whether it is several of these names joined as SPDX joins them (annex D of its specification)."""
    words = re.findall(r"[^\s()]+", text)
    return (
        len(words) > 1
        and len(words) % 2 == 1
        and all(word in _OPERATORS if place % 2 else word in SPDX | _EXCEPTIONS for place, word in enumerate(words))
    )
