"""Trained networks of PyTorch with an uncertainty: the extra ``uqwidgets[torch]``."""

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "NetworkEnsemble needs PyTorch, which is not installed; pip install 'uqwidgets[torch]'.",
        name="torch",
    ) from None

from uqwidgets.predictive.torch.ensemble import NetworkEnsemble

__all__ = ["NetworkEnsemble"]
