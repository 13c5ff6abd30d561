"""What requests and responses of the API say, whatever carries them: errors with their codes and fixes."""
