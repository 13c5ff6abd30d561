"""Makes outbound requests for actions, only to addresses that untrusted scripts may reach."""
