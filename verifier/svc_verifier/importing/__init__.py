"""Reads evidence that was brought as files, from any dstack application, into what the checks look at."""
