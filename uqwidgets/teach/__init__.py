"""Small widgets for teaching, each one idea on one screen: predict, do, explain."""

from uqwidgets.teach.coverage import WhatTheBarCovers
from uqwidgets.teach.guess import GuessTheRanking
from uqwidgets.teach.page import save
from uqwidgets.teach.place import ThePlaceNobodyHasBeen
from uqwidgets.teach.refits import ManyRefits
from uqwidgets.teach.shuffle import ShuffleOneColumn
from uqwidgets.teach.target import StressToATarget

__all__ = [
    "GuessTheRanking",
    "ManyRefits",
    "ShuffleOneColumn",
    "StressToATarget",
    "ThePlaceNobodyHasBeen",
    "WhatTheBarCovers",
    "save",
]
