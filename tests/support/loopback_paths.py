"""Targets of requests, for the programs that pass requests on to a node: those that pass as they are written, and those refused."""

from typing import Final

PASSED: Final = (
    "/core/v1/%7e?a=%20b",
    "/core/v1/~/%41%2B+;x,y",
    "/core/v1/a%252e%252e/b",
    "/core/v1/a..b/..c/d../...",
    "/core/v1/x?a=../..&b=%2e%2E/./",
    '/core/v1/{x}|^`<>"?q={y}|',
    "/core/v1/a%2fb%3Fc%23",
    "/core/v1/%zz%",
    "/core/v1//x",
)
REFUSED: Final = (
    "/core/v1/../../metrics",
    "/core/v1/..",
    "/core/v1/../core/v1/x",
    "/core/v1/./x",
    "/core/v1/.",
    "/core/v1/%2e%2e/%2e%2e/metrics",
    "/core/v1/%2E./x",
    "/core/v1/.%2E/x",
    "/core/v1/a%2eb",
    "/core/v1/..%2f..%2Fmetrics",
    "/core/v1/x\\..\\..\\metrics",
    "/core/v1/x%5c..%5C..%5cmetrics",
    "/core/v1/../x?a=b",
)
