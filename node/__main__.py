"""`python -m node` is `svc-node`."""

from node.cli import main

if __name__ == "__main__":
    main()
