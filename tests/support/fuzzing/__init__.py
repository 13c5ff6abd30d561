"""Mutations of good inputs that keep enough of their structure to get past the first look of a parser."""
