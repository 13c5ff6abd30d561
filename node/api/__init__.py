"""The API without HTTP: calls, fields, pages, errors."""
