"""The API page in a real browser: Debian's Chromium, headless, spoken to over its DevTools protocol."""
