"""`python -m compose`, and the script `svc-compose`."""

from compose.cli import main

if __name__ == "__main__":
    main()
