"""Opens accounts (`new_account`) and looks them up by key."""
