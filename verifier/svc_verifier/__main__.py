"""`python -m verifier`, and the script `svc-verify`."""

from svc_verifier.cli import main

if __name__ == "__main__":
    main()
