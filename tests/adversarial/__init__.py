"""Inputs made to break things: each test says what was tried and what must happen."""
