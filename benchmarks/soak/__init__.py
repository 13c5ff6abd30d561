"""`make soak` runs a mixed load for long. Afterwards nothing may have grown or been left behind."""
