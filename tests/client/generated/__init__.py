"""Clients that generators make of the OpenAPI document, type-checked strictly, and a call with each."""
