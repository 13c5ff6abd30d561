"""Operating system images, their measurements in MRTD and RTMR0 to RTMR2, and known ones."""
