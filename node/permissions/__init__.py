"""Who may do what: grants and decisions, pure (decisions.md section 4)."""
