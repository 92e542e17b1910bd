"""Inputs made to break things: each test tells what was tried and what must come of it."""
