"""Node information and health.

`health` decides the status from that of the components, which `node.wiring.health` probes; `service` and `routes` answer.
"""
