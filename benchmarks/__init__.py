"""What `make bench` runs: speed, memory and quality, each printed as a ratio."""
