"""Networks of PyTorch with an uncertainty: the extra ``uqwidgets[torch]``."""

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "MonteCarloDropout and BayesByBackprop need PyTorch, which is not installed; "
        "pip install 'uqwidgets[torch]'.",
        name="torch",
    ) from None

from uqwidgets.predictive.torch.bayes_by_backprop import BayesByBackprop
from uqwidgets.predictive.torch.monte_carlo_dropout import MonteCarloDropout

__all__ = ["BayesByBackprop", "MonteCarloDropout"]
