"""Trained networks, read as a mixture with one member for each network or set of dropout masks."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.special import softmax
from torch import nn

from uqwidgets._typing import Floats
from uqwidgets.predictive.adapters.base import Options, labels_of
from uqwidgets.predictive.adapters.mixing import at_least_two, mixture_of_values
from uqwidgets.predictive.distributions import Categorical, Mixture
from uqwidgets.predictive.torch.dropout import (
    ROWS,
    control_dropout,
    draw_member_masks,
    dropout_by,
    replay_masks,
)


class NetworkEnsemble:
    """Trained networks, or one with dropout, read as a mixture: a model for `Explainer`.

    Several networks are the members (Lakshminarayanan et al. 2017). Of a single network, each
    member has other units dropped (Gal and Ghahramani 2016). The masks are drawn once, from the
    seed, and shared by all rows, so the members are fixed networks: a row gets the same prediction
    whatever the other rows are, a change of the prediction after a value is replaced is due to that
    value alone, and a feature that the network ignores has an importance of exactly zero.

    Parameters
    ----------
    networks : torch.nn.Module or sequence of torch.nn.Module
        Each maps rows (n, p) in single precision to (n,) or (n, 1) for a number, or for two classes
        to the second of them, or to (n, k) for k classes, with the rows first in all layers. A
        single network has `torch.nn.Dropout` layers, or ``Dropout1d`` to ``Dropout3d``. Copies are
        used, on the CPU.
    n_samples : int, default=50
        Members that are drawn from a single network, at least two.
    classes : array-like of shape (k,), optional
        Labels, in the order of the outputs. Without them the networks predict a number.
    logits : bool, default=True
        Whether the outputs for classes are logits; otherwise they are probabilities.
    noise : float, optional
        Standard deviation of a predicted number, in the units of the target. Without it there is an
        entropy, but no likelihood.
    random_state : int, default=0
        Seed of the masks. It determines the predictions, provided that only the dropout layers draw
        random numbers.

    Raises
    ------
    ModuleNotFoundError
        If PyTorch is not installed; it comes with the extra ``uqwidgets[torch]``.
    TypeError
        If something else than networks is passed.
    ValueError
        If a single network has no dropout, there are fewer than two members, or an option is
        invalid.

    See Also
    --------
    as_predictive : Reads functions, and the members of other ensembles.
    Mixture : The distribution that `predict_distribution` returns.

    References
    ----------
    Gal and Ghahramani 2016; Lakshminarayanan et al. 2017; Wood et al. 2024, section B.4.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> from torch import nn
    >>> network = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
    >>> model = uq.NetworkEnsemble(network, n_samples=5, classes=["low", "middle", "high"])
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> model.predict_distribution(X).epistemic().shape
    (20,)
    """

    def __init__(
        self,
        networks: nn.Module | Sequence[nn.Module],
        n_samples: int = 50,
        *,
        classes: npt.ArrayLike | None = None,
        logits: bool = True,
        noise: float | None = None,
        random_state: int = 0,
    ) -> None:
        several = isinstance(networks, (list, tuple))
        modules: list[Any] = list(networks) if several else [networks]
        for module in modules:
            if not isinstance(module, nn.Module):
                raise TypeError(
                    f"networks holds {module!r}; pass a trained torch.nn.Module, or a list of them."
                )
        at_least_two(len(modules) if several else n_samples, "the ensemble")
        self.classes_ = labels_of(None, classes)
        self._noise = Options(noise=noise).noise
        if self.classes_ is not None and noise is not None:
            raise ValueError(
                "noise is for a predicted number, and classes were passed; leave one out."
            )
        self._logits = logits
        # Only dropout layers may differ from call to call, and these are replaced by masks.
        self._modules = [copy.deepcopy(each).to("cpu", torch.float32).eval() for each in modules]
        self._n_masks = 0 if several else n_samples
        self._masks: list[torch.Tensor] | None = None
        self._seed = random_state
        if not several:
            control_dropout(self._modules[0])

    def predict_distribution(self, X: Any) -> Mixture:
        """Predictive distribution of each row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Numbers.

        Returns
        -------
        Mixture
            Of `Categorical` where there are classes, and of numbers otherwise.

        Raises
        ------
        ValueError
            If X holds something else than numbers, or the outputs have another shape.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> from torch import nn
        >>> model = uq.NetworkEnsemble([nn.Linear(2, 1), nn.Linear(2, 1)], noise=0.5)
        >>> model.predict_distribution(np.zeros((3, 2))).std().shape
        (3,)
        """
        try:
            rows = torch.as_tensor(np.asarray(X, dtype=np.float32))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"networks read numbers only ({error}); encode X before, in a function of X or a "
                "pipeline."
            ) from None
        with torch.inference_mode():
            # Every forward pass has the same number of rows, padded where there are fewer.
            parts = [self._outputs(part) for part in rows.split(ROWS)]
        outputs = np.asarray(torch.cat(parts, dim=1), dtype=np.float64).swapaxes(0, 1)
        if self.classes_ is None:
            return mixture_of_values(outputs[:, :, 0], self._noise)
        return Mixture(Categorical(self._probabilities(outputs), self.classes_))

    def _outputs(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the outputs of all members for at most `ROWS` rows, shape (m, n, outputs)."""
        padded = torch.cat([rows, rows[-1:].expand(ROWS - len(rows), -1)])
        return torch.stack(list(self._of_members(padded)))[:, : len(rows)]

    def _of_members(self, rows: torch.Tensor) -> Iterator[torch.Tensor]:
        if not self._n_masks:
            for module in self._modules:
                yield self._checked(module(rows), len(rows))
            return
        (module,) = self._modules
        repeated = rows.expand(self._n_masks, *rows.shape).flatten(0, 1)
        if self._masks is None:
            # The shapes of the masks are known when the rows reach the layers. Threads that do this
            # at the same time draw the same masks.
            masks: list[torch.Tensor] = []
            generator = torch.Generator().manual_seed(self._seed)
            with dropout_by(draw_member_masks(self._n_masks, generator, masks)):
                module(repeated)
            self._masks = masks
        with dropout_by(replay_masks(self._masks)):
            outputs = self._checked(module(repeated), len(repeated))
        yield from outputs.unflatten(0, (self._n_masks, -1))

    def _checked(self, output: torch.Tensor, n: int) -> torch.Tensor:
        """Return an output as (n, outputs).

        Raises
        ------
        ValueError
            If it has another shape.
        """
        k = 1 if self.classes_ is None else len(self.classes_)
        shape = tuple(getattr(output, "shape", ()))
        if shape in ((n,), (n, 1)) and k <= 2:
            return output.reshape(n, 1)
        if shape != (n, k):
            what = f"{k} numbers, one for each class," if k > 1 else "one number"
            raise ValueError(
                f"the network returned shape {shape} for {n} rows; it must return {what} for each "
                f"row, shape ({n}, {k}){'' if k > 1 else ', or classes must be passed'}."
            )
        return output

    def _probabilities(self, outputs: Floats) -> Floats:
        """Probabilities of the classes (n, m, k), from the outputs (n, m, 1 or k)."""
        if outputs.shape[-1] == 1:
            # A single output is that of the second class; the logit of the first one is zero.
            first = np.zeros_like(outputs) if self._logits else 1 - outputs
            outputs = np.concatenate([first, outputs], axis=-1)
        return np.asarray(softmax(outputs, axis=-1)) if self._logits else outputs
