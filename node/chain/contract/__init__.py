"""The account contract: Solidity sources, their build, the committed artifact, and its identity."""
