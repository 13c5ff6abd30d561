"""Present and former admin wallets of an account: events propose them, and every link from the present one must hold."""
