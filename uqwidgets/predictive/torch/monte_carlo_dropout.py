"""Monte Carlo dropout: a network whose members lack different units."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

from uqwidgets._typing import Floats
from uqwidgets.predictive.torch.dropout import (
    control_dropout,
    draw_member_masks,
    dropout_by,
    masks_per_row,
    replay_masks,
    set_mode,
)
from uqwidgets.predictive.torch.ensemble import ROWS, FixedEnsemble, Task, padded, repeated
from uqwidgets.predictive.torch.training import counts, perceptron, positive, seeded, train

_HIDDEN, _DROPPED = (100, 100), 0.1


class MonteCarloDropout(FixedEnsemble):
    """Monte Carlo dropout: a network with dropout at prediction time, read as a mixture.

    Each member applies one set of dropout masks (Gal and Ghahramani 2016). The defaults are those
    of Wood et al. 2024, section B.4.

    The masks of a member are drawn once, from the seed, and shared by all rows: the members are
    fixed networks. A row therefore gets the same prediction whatever the other rows are, a change
    of the prediction after a value is replaced is due to that value alone, and a feature that
    the network ignores has an importance of exactly zero.

    Parameters
    ----------
    module : torch.nn.Module, optional
        Maps rows (n, p) in single precision to (n,) or (n, 1) in a regression, or to logits
        (n, k) in a classification, with the rows first in all layers. It must have
        `torch.nn.Dropout` layers, or ``Dropout1d`` to ``Dropout3d``. A copy of it is used, on the
        CPU. The default is a perceptron with two hidden layers of 100 rectified units, each
        followed by dropout of 0.1.
    n_samples : int, default=50
        Number of members m.
    precision : float, optional
        Of the noise of a regression, in 1 / (units of y)^2: each member is normal with the
        standard deviation 1 / sqrt(precision). By default it is fitted on held-out rows.
    prefit : bool, default=False
        Whether the module is already trained. Then nothing is scaled or trained, and all rows
        passed to `fit` serve to fit the precision; they should not be the rows the module was
        trained on. Otherwise a copy is trained, starting from the module's weights.
    epochs : int, default=5000
    batch_size : int, default=200
        Largest number of rows per step.
    learning_rate : float, default=0.1
        Of stochastic gradient descent on the squared error or the cross-entropy. In training
        every row has its own masks.
    validation_fraction : float, default=0.1
        Share of the rows that are held out from training to fit the precision.
    task : {"regression", "classification"}, optional
        Needed only where y holds more than two different whole numbers, which could be either.
    random_state : int, RandomState or None, default=None
        Of initial weights, batches and masks. The same seed gives the same predictions, provided
        that only the dropout layers of the module draw random numbers.

    Attributes
    ----------
    task_ : {"regression", "classification"}
    classes_ : ndarray of shape (k,)
        Labels of a classification.
    precision_ : float
        Of a regression.
    module_ : torch.nn.Module
        The fitted copy; its dropout layers are active only within this estimator.
    masks_ : list of Tensor
        Factors of the units, (m, units), for each dropout layer in the order of the forward pass.
    loss_curve_ : list of float
        Training loss of each epoch, in standardised units of y or in nats.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Where X is a DataFrame.

    Raises
    ------
    ModuleNotFoundError
        If PyTorch is not installed; it comes with the extra ``uqwidgets[torch]``.

    See Also
    --------
    BayesByBackprop : Members by a distribution of the weights instead.
    Mixture : The distribution that `predict_distribution` returns.

    References
    ----------
    Gal and Ghahramani 2016; Wood et al. 2024, section B.4.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> y = np.where(X[:, 0] > 0, "up", "down")
    >>> network = uq.MonteCarloDropout(n_samples=5, epochs=20, random_state=0).fit(X, y)
    >>> network.predict(X[[0, -1]]).tolist()
    ['down', 'up']
    >>> network.predict_distribution(X).epistemic().shape
    (20,)
    """

    def __init__(
        self,
        module: nn.Module | None = None,
        n_samples: int = 50,
        *,
        precision: float | None = None,
        prefit: bool = False,
        epochs: int = 5000,
        batch_size: int = 200,
        learning_rate: float = 0.1,
        validation_fraction: float = 0.1,
        task: Task | None = None,
        random_state: Any = None,
    ) -> None:
        self.module = module
        self.n_samples = n_samples
        self.precision = precision
        self.prefit = prefit
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.task = task
        self.random_state = random_state

    def _check_settings(self) -> None:
        super()._check_settings()
        positive(self, "learning_rate")
        counts(self, "epochs", "batch_size")
        if not 0 < self.validation_fraction < 1:
            raise ValueError(
                f"validation_fraction must lie between 0 and 1, not {self.validation_fraction!r}."
            )
        if self.module is None and self.prefit:
            raise ValueError("prefit needs the fitted module; pass module.")
        if self.module is not None and not isinstance(self.module, nn.Module):
            raise TypeError(
                f"module must be a torch.nn.Module, not {self.module!r}; pass an instance."
            )

    def _fit(self, X: Floats, y: npt.NDArray[Any]) -> None:
        generator = seeded(self.random_state)
        fits_precision = self.task_ == "regression" and self.precision is None
        order = torch.randperm(len(X), generator=generator).numpy()
        held_out = 0 if self.prefit or not fits_precision else self._held_out(len(X))
        # A module that was trained elsewhere needs no rows for training: all fit the precision.
        validation, training = (order, order) if self.prefit else np.split(order, [held_out])
        self._set_scales(X[training], y[training], scaled=not self.prefit)
        self.module_ = self._copy(X.shape[1], generator)
        self.loss_curve_: list[float] = []
        if not self.prefit:
            self.loss_curve_ = self._train(X[training], y[training], generator)
        set_mode(self.module_, training=False)
        self._draw_members(X, generator)
        if self.task_ == "regression":
            self.precision_ = (
                float(self.precision)
                if self.precision is not None
                else fitted_precision(self._means(X[validation]), y[validation])
            )

    def _held_out(self, n: int) -> int:
        held_out = math.ceil(self.validation_fraction * n)
        if held_out == n:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of {n} rows leaves none to "
                "train on; pass more rows, or precision."
            )
        return held_out

    def _copy(self, n_features: int, generator: torch.Generator) -> nn.Module:
        module = (
            copy.deepcopy(self.module)
            if self.module is not None
            else perceptron([n_features, *_HIDDEN, self.target_.n_outputs], _DROPPED, generator)
        )
        module = module.to(device="cpu", dtype=torch.float32)
        control_dropout(module)
        return module

    def _train(self, X: Floats, y: npt.NDArray[Any], generator: torch.Generator) -> list[float]:
        inputs, targets = self.scale_.tensor(X), self.target_.tensor(y)
        set_mode(self.module_, training=True)

        def loss(rows: torch.Tensor) -> Any:
            with dropout_by(masks_per_row(generator)):
                outputs = self._outputs_of(inputs[rows])
            if self.task_ == "classification":
                return cross_entropy(outputs, targets[rows])
            return mse_loss(outputs[:, 0], targets[rows])

        return train(
            loss,
            torch.optim.SGD(self.module_.parameters(), self.learning_rate),
            len(inputs),
            epochs=self.epochs,
            batch_size=self.batch_size,
            generator=generator,
        )

    def _draw_members(self, X: Floats, generator: torch.Generator) -> None:
        self.masks_: list[torch.Tensor] = []
        draw = draw_member_masks(self.n_samples, generator, self.masks_)
        with torch.no_grad(), dropout_by(draw):
            rows = padded(self.scale_.tensor(X[:ROWS]))
            self._outputs_of(repeated(rows, self.n_samples))

    def _members(self, rows: torch.Tensor) -> torch.Tensor:
        with dropout_by(replay_masks(self.masks_)):
            members = len(self.masks_[0])
            return self._outputs_of(repeated(rows, members)).unflatten(0, (members, -1))

    def _outputs_of(self, rows: torch.Tensor) -> torch.Tensor:
        output = self.module_(rows)
        n, k = len(rows), self.target_.n_outputs
        shape = tuple(getattr(output, "shape", ()))
        if shape in ((n,), (n, 1)) and k <= 2:
            output = output.reshape(n, 1)
            # A single logit is that of the second class; the first one has the logit zero.
            return output if k == 1 else torch.cat([torch.zeros_like(output), output], dim=1)
        if shape != (n, k):
            what = f"{k} logits, one for each class," if k > 1 else "one number"
            raise ValueError(
                f"the module returned shape {shape} for {n} rows; it must return {what} for each "
                f"row, shape ({n}, {k})."
            )
        return output


def fitted_precision(means: Floats, y: Floats) -> float:
    """Maximum likelihood estimate of the members' common precision, given held-out ``y``.

    The log likelihood sum_i log mean_m N(y_i; mean_im, 1/τ) (Wood et al. 2024, section B.4) is
    maximised over log τ by L-BFGS-B. It may have several local maxima, so that the search starts
    from the best point of a grid. At a stationary point 1/τ is a weighted mean of squared
    residuals over the members of each row, which bounds the search.

    Parameters
    ----------
    means : ndarray of shape (n, m)
    y : ndarray of shape (n,)

    Returns
    -------
    float
        In 1 / (units of ``y``)^2.

    Raises
    ------
    ValueError
        If some member is exactly right in every row, so that the likelihood has no maximum.
    """
    squares = np.square(means - y[:, None])
    nearest, farthest = squares.min(axis=1).mean(), squares.max(axis=1).mean()
    if nearest == 0:
        raise ValueError(
            "the held-out rows are predicted without any error, so that no precision is the "
            "best; pass precision."
        )

    def loss(log_precision: Floats) -> tuple[float, Floats]:
        exponents = -0.5 * np.exp(log_precision) * squares
        gradient = 0.5 + np.einsum("nm,nm->n", softmax(exponents, axis=1), exponents).mean()
        likelihood = 0.5 * log_precision[0] + logsumexp(exponents, axis=1).mean()
        return -float(likelihood), np.array([-gradient])

    low, high = -np.log(farthest), -np.log(nearest)
    start = min(np.linspace(low, high, 17), key=lambda at: loss(np.array([at]))[0])
    optimum = minimize(
        loss,
        [start],
        jac=True,
        method="L-BFGS-B",
        bounds=[(low, high)],
        options={"ftol": 0.0, "gtol": 1e-10},
    )
    return float(np.exp(optimum.x[0]))
