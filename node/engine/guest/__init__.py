"""The guest is quickjs-ng as WebAssembly; actions start from snapshots of it (ADR 0023)."""
