"""The execute path's cache of who may run what, voided by what listeners tell of the chain."""
