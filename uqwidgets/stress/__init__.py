"""Entropic projection: rows reweighted so that a feature's mean moves (004)."""
