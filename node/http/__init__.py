"""Path of every request: errors, request ids, authentication, idempotency, paging, rate limits, OpenAPI."""
