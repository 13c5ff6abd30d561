"""Credits: reserve, extend, settle, release."""
