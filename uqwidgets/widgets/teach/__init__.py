"""Small widgets for teaching, each one idea on one screen: predict, do, explain."""

from uqwidgets.widgets.teach.guess import GuessTheRanking

__all__ = ["GuessTheRanking"]
