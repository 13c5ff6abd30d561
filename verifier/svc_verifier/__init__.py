"""The stranger's tool: pure checks over bytes; imports nothing of node or attest."""
