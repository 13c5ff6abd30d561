"""`make soak`: a mixed load for a long time, after which nothing may have grown or been left behind."""
