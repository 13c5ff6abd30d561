"""`python -m svc_verifier`, and the script `svc-verify`."""

from svc_verifier.cli.group import main

if __name__ == "__main__":
    main()
