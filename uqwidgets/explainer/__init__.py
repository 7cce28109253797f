"""Explainer: one fitted model, one table, and every question about the two."""

from uqwidgets.explainer.explainer import Explainer

__all__ = ["Explainer"]
