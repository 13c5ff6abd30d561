"""What an operating system image measures into MRTD and RTMR0 to RTMR2, and which images are known."""
