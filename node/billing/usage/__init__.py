"""What an account was charged for, one row a charge."""
