"""HTTP layer with errors, request ids, authentication, idempotency, paging, limits and OpenAPI."""
