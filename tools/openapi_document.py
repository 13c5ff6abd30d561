"""The OpenAPI document of the declarations, without a running node or its services."""

from typing import Any
from unittest.mock import MagicMock

from node.accounts import routes as accounts
from node.actions import routes as actions
from node.attestation import routes as attestation
from node.billing import routes as billing
from node.chainsecured import routes as chainsecured
from node.execution import routes as execution
from node.groups import routes as groups
from node.http.openapi import ApiDescription, openapi_document
from node.settings.http import FieldSettings
from node.status import routes as status
from node.usage_keys import routes as usage_keys
from node.wallets import routes as wallets


def document() -> dict[str, Any]:
    """Returns the document with the bounds of the default settings."""
    anything = MagicMock()
    subjects = (accounts, usage_keys, wallets, groups, actions, chainsecured, status, billing)
    endpoints = [endpoint for subject in subjects for endpoint in subject.endpoints(anything)]
    endpoints += attestation.endpoints(anything, anything)
    endpoints += billing.token_endpoints(anything) + billing.usage_endpoints(anything)
    endpoints += execution.endpoints(anything, anything, anything, 1)
    endpoints.append(execution.explain_endpoint(anything))
    return openapi_document(endpoints, ApiDescription("", ""), FieldSettings())
