"""Tests of the metric stages."""
