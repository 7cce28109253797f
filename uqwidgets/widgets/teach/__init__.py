"""Small widgets for teaching, each one idea on one screen: predict, do, explain."""

from uqwidgets.widgets.teach.coverage import WhatTheBarCovers
from uqwidgets.widgets.teach.guess import GuessTheRanking
from uqwidgets.widgets.teach.page import save
from uqwidgets.widgets.teach.place import ThePlaceNobodyHasBeen
from uqwidgets.widgets.teach.refits import ManyRefits
from uqwidgets.widgets.teach.shuffle import ShuffleOneColumn
from uqwidgets.widgets.teach.target import StressToATarget

__all__ = [
    "GuessTheRanking",
    "ManyRefits",
    "ShuffleOneColumn",
    "StressToATarget",
    "ThePlaceNobodyHasBeen",
    "WhatTheBarCovers",
    "save",
]
