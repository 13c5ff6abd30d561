"""Node information and health.

`health` checks each component and decides between ok, degraded and down. `limits` are those that
clients meet. `service` and `routes` publish both.
"""
