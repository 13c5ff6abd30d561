"""The libraries of an action, held against the stock packages under Node and against eth-account."""
