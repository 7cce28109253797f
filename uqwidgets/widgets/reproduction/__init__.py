"""Reproduction of what an explorer shows: state, code, pins, ghost and provenance."""
