"""Node information and health.

`health.overall` decides between ok, degraded and down from the status of the components, each of which `node.wiring.health` probes;
`service` and `routes` answer.
"""
