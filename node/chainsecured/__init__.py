"""ChainSecured mode over HTTP: what a user's own wallet signs instead of sending a key."""
