"""The local card processor of a development node, and the settings that name it."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from devkit.processor.server import LocalProcessor, LocalProcessorOptions, local_processor
from devkit.settings import DevelopmentSettings

WEBHOOK_PATH: Final = "/core/v1/billing/webhook"
STATE_FILE: Final = "processor.sqlite3"
INSECURE: Final = "local card processor: payments move no money, and its keys are public"


@dataclass(frozen=True, slots=True)
class DevelopmentProcessor:
    """Local card processor and its settings. `processor` is None for a real one, or no billing."""

    settings: DevelopmentSettings
    processor: LocalProcessor | None

    def send_webhooks_to(self, api_url: str) -> None:
        """Send webhook calls to the node at this URL from now on."""
        if self.processor is not None:
            self.processor.control.webhooks.url = api_url + WEBHOOK_PATH


@contextlib.asynccontextmanager
async def development_processor(settings: DevelopmentSettings) -> AsyncIterator[DevelopmentProcessor]:
    """Run a local card processor until the context ends. Raises StartupRefusedError."""
    # With a real processor's key the node uses that one; without billing it uses none.
    if settings.billing == "off" or settings.processor_secret_key.get_secret_value():
        yield DevelopmentProcessor(settings, None)
        return
    options = LocalProcessorOptions(port=settings.dev_processor_port, state_file=settings.data_dir / STATE_FILE)
    async with local_processor(options) as processor:
        found = {
            "processor_url": processor.url,
            "processor_secret_key": SecretStr(options.secret_key),
            "processor_webhook_secret": SecretStr(options.webhook_secret),
            "processor_publishable_key": options.publishable_key,
        }
        yield DevelopmentProcessor(settings.model_copy(update=found), processor)
