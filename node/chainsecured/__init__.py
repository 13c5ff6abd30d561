"""ChainSecured mode over HTTP. The user's wallet signs requests instead of sending a key."""
