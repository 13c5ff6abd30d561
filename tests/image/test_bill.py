"""What is said of an image's parts is what their packages say, and in the form that CycloneDX asks for."""

import json
from collections.abc import Mapping

import pytest

from image.bill import cyclonedx, is_expression
from image.commands import ImageError
from image.components import Component, compiled_into, copyright_file, licences_in
from image.tree import File, Link, Tree
from image.wheel import files_of
from tests.image.parts import wheel_of

PYTHON = """This package was put together by somebody.

B. TERMS AND CONDITIONS
PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2

Licenses for Software linked to
===============================
The 'readline' module: /usr/share/common-licenses/GPL-2'.
"""


def test_the_python_of_the_image_is_not_said_to_have_the_licence_of_a_library_that_is_not_in_it() -> None:
    assert licences_in(PYTHON) == ("Python-2.0",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Format: x\n\nFiles: *\nLicense: Zlib\n\nFiles: debian/*\nLicense: GPL-2+\n", ("GPL-2+", "Zlib")),
        ("see `/usr/share/common-licenses/GPL-3'.\n\nGCC RUNTIME LIBRARY EXCEPTION\n", ("GCC-exception-3.1", "GPL-3")),
        ("Do as you like.", ()),
    ],
)
def test_copyright_files_are_read_in_both_forms(text: str, names: tuple[str, ...]) -> None:
    assert licences_in(text) == names


def test_a_package_may_have_its_copyright_file_in_another_of_its_source() -> None:
    trees: dict[str, Tree] = {
        "base": {"usr/share/doc/base/copyright": File(b"of both")},
        "library": {"usr/share/doc/library": Link("base")},
        "bare": {},
    }
    assert copyright_file("library", trees) == copyright_file("base", trees) == "of both"
    assert copyright_file("bare", trees) == ""


def bill(*parts: Mapping[str, object]) -> bytes:
    return json.dumps({"bomFormat": "CycloneDX", "components": list(parts)}).encode()


OPENSSL = {
    "name": "openssl",
    "version": "4.0.3",
    "purl": "pkg:generic/openssl@4.0.3",
    "hashes": [{"alg": "MD5", "content": "0"}, {"alg": "SHA-256", "content": "ab" * 32}],
}
CRATE = {"name": "asn1", "version": "1", "purl": "pkg:cargo/asn1@1", "licenses": [{"expression": "MIT OR Apache-2.0"}]}


def test_what_is_compiled_into_a_wheel_is_known_by_the_wheels_own_bills() -> None:
    tree = files_of(
        wheel_of(
            {
                "thing-1.dist-info/sboms/sbom.json": bill(OPENSSL),
                "thing-1.dist-info/sboms/rust.cyclonedx.json": bill(CRATE),
                "thing-1.dist-info/sboms/other.json": b'{"spdxVersion": "SPDX-2.3"}',
            }
        )
    )
    assert list(compiled_into(tree)) == [
        ("asn1", "1", "pkg:cargo/asn1@1", ("MIT OR Apache-2.0",), None),
        ("openssl", "4.0.3", "pkg:generic/openssl@4.0.3", (), "ab" * 32),
    ]


@pytest.mark.parametrize("content", [b"", b"[]", bill({"name": "nameless"})])
def test_a_bill_of_a_wheel_that_cannot_be_read_is_told(content: bytes) -> None:
    tree = files_of(wheel_of({"thing-1.dist-info/sboms/sbom.json": content}))
    with pytest.raises(ImageError, match=r"thing-1.dist-info/sboms/sbom.json cannot be read"):
        list(compiled_into(tree))


@pytest.mark.parametrize("text", ["MIT OR Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "Zlib AND ISC"])
def test_expressions_are_told_from_names(text: str) -> None:
    assert is_expression(text)
    assert not any(is_expression(other) for other in ("MIT", "MIT License", f"{text} OR", "Artistic or GPL-1+"))


def test_each_component_depends_on_what_is_compiled_into_it() -> None:
    wheel = Component("w", "1", "pkg:pypi/w@1", ("Apache-2.0 AND MIT",), "wheel")
    inner = Component("i", "2", "pkg:cargo/i@2", ("MIT", "my own"), "compiled into w", within=("pkg:pypi/w@1",))
    said = json.loads(cyclonedx([inner, wheel], "image", "1", "sha256:" + "ab" * 32, "2026-11-21T00:00:00Z"))
    assert {each["ref"]: each["dependsOn"] for each in said["dependencies"]} == {
        "sha256:" + "ab" * 32: ["pkg:pypi/w@1"],
        "pkg:pypi/w@1": ["pkg:cargo/i@2"],
    }
    assert [each["licenses"] for each in said["components"]] == [
        [{"license": {"id": "MIT"}}, {"license": {"name": "my own"}}],
        [{"expression": "Apache-2.0 AND MIT"}],
    ]
