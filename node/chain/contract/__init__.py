"""The account contract: Solidity sources, their build, and the committed artifact. No Python code lives here."""
