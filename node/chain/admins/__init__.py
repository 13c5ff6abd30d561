"""Present and former admin wallets of an account: events name them, and each must link to the present one."""
