"""Fetches the material of the checks. Only this part does I/O, and it judges nothing."""
