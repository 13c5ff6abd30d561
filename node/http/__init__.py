"""What every request passes: errors, request ids, authentication, idempotency, paging, rate limits, OpenAPI."""
