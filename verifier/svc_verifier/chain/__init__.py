"""The governance contract as this verifier reads it: what is asked, and how answers are decoded."""
