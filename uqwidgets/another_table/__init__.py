"""Weights that make the rows at hand look like those of another table."""

from uqwidgets.another_table.compared import stress_to_table
from uqwidgets.another_table.expected_result import Expected
from uqwidgets.another_table.prediction_sets_result import PredictionSets
from uqwidgets.another_table.result import TableReweighting
from uqwidgets.another_table.weights import TowardsTable

__all__ = ["Expected", "PredictionSets", "TableReweighting", "TowardsTable", "stress_to_table"]
