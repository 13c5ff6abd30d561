"""`svc`, and `python -m svc_client`."""

from svc_client.cli import main

if __name__ == "__main__":
    main(prog_name="svc")
