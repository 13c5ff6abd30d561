"""The guest: quickjs-ng compiled to WebAssembly, and the snapshots of it that actions start from (ADR 0023)."""
