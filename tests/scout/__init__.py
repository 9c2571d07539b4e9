"""Tests of the scout room."""
