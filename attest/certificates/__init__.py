"""The node's own TLS certificate: issued, stored, renewed and replaced without dropping a connection."""
