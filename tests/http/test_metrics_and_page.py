"""The metrics application, and the API page where its files were never installed."""

from pathlib import Path

from aiohttp import web
from prometheus_client import CollectorRegistry
from pytest_aiohttp.plugin import AiohttpClient

from node.http.answers import HttpMetrics
from node.http.openapi import PAGE_PATH, add_swagger_ui
from node.http.plain_port import create_metrics_application


async def test_metrics_show_the_registry_and_nothing_else(aiohttp_client: AiohttpClient) -> None:
    registry = CollectorRegistry()
    HttpMetrics(registry).observe("GET", "/core/v1/version", 200, 0.003)
    client = await aiohttp_client(create_metrics_application(registry))
    async with client.get("/metrics") as response:
        assert response.status == 200
        text = await response.text()
    assert 'svc_http_request_duration_seconds_bucket{le="0.005",route="/core/v1/version"} 1.0' in text
    assert "python_info" not in text


async def test_without_its_files_the_page_says_what_to_run(aiohttp_client: AiohttpClient, tmp_path: Path) -> None:
    application = web.Application()
    add_swagger_ui(application, tmp_path)
    client = await aiohttp_client(application)
    async with client.get(PAGE_PATH) as response:
        assert (response.status, "make setup" in await response.text()) == (200, True)
    async with client.get(f"{PAGE_PATH}/swagger-ui-bundle.js") as response:
        assert response.status == 404
