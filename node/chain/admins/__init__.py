"""Who an account's admin wallets are and were: events propose them, and every link from the present one must hold."""
