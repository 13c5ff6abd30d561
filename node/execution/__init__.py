"""Running an action: authorise, reserve, run, settle."""
