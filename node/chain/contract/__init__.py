"""The account contract: Solidity sources, their build, the committed artifact, and the identity that follows from it."""
