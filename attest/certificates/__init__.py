"""The node's own TLS certificate: obtained, kept, renewed and swapped without dropping a connection."""
