"""The node's own TLS certificate. Connections stay open when it is renewed."""
