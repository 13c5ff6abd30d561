"""Intel TDX with the pinned root, collateral, signatures, TCB levels and dcap-qvl."""
