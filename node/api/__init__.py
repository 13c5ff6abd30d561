"""The API without HTTP: calls, fields, pages, strict JSON, errors."""
