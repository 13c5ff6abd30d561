"""Intel TDX: the pinned root, collateral, signatures, TCB levels and what dcap-qvl says of a quote."""
