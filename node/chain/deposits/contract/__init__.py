"""The deposit contract: its sources and the artifact they give."""
