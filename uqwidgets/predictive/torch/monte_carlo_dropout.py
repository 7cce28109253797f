"""Monte Carlo dropout: a network, and what is left of it without some of its units."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

from uqwidgets._typing import Floats
from uqwidgets.predictive.torch.dropout import (
    afresh,
    by_masks,
    draw_masks,
    dropping,
    set_mode,
    take_over,
)
from uqwidgets.predictive.torch.ensemble import FixedEnsemble
from uqwidgets.predictive.torch.passes import ROWS, filled_up, stacked
from uqwidgets.predictive.torch.perceptron import perceptron
from uqwidgets.predictive.torch.precision import fitted_precision
from uqwidgets.predictive.torch.targets import Task
from uqwidgets.predictive.torch.training import positive, seeded, train

_HIDDEN, _DROPPED = (100, 100), 0.1


class MonteCarloDropout(FixedEnsemble):
    """A network whose dropout stays on: a mixture with one member for each set of masks.

    Gal and Ghahramani (2016); the defaults are those of Wood et al. 2024, section B.4.

    The masks of a member are drawn once, from the seed, and shared by all rows: the members are
    fixed networks. So a row gets the same answer whatever rows it is asked with, what changes
    when a value is replaced is due to the value alone, and a feature that the network ignores
    has an importance of exactly zero.

    Parameters
    ----------
    module : torch.nn.Module, optional
        From rows (n, p) in single precision to (n,) or (n, 1) in a regression, to logits (n, k)
        in a classification, with the rows first in all its layers; has `torch.nn.Dropout`
        layers, or ``Dropout1d`` to ``Dropout3d``. A copy of it is used, on the CPU. Without
        one, a perceptron with two hidden layers of 100 rectified units, each followed by
        dropout of 0.1.
    n_samples : int, default=50
        Number of members m.
    precision : float, optional
        Of the noise of a regression, in 1 / (units of y)^2: each member is normal with the
        standard deviation 1 / sqrt(precision). Without it, it is fitted on rows held out.
    prefit : bool, default=False
        Whether the module is taken as it is. Then nothing is scaled or trained, and all rows
        given to `fit`, which should be others than the module was trained on, serve to fit the
        precision. Otherwise a copy is trained from the weights it has.
    epochs : int, default=5000
    batch_size : int, default=200
        The most rows of a step.
    learning_rate : float, default=0.1
        Of stochastic gradient descent on the squared error or the cross-entropy; in training
        every row has masks of its own.
    validation_fraction : float, default=0.1
        Share of the rows held out from training where the precision is fitted.
    task : {"regression", "classification"}, optional
        Needed only where y holds more than two different whole numbers, which could be either.
    random_state : int, RandomState or None, default=None
        Of starting weights, batches and masks. One seed always gives the same answers, as long
        as the module draws no other random numbers than its dropout layers do.

    Attributes
    ----------
    task_ : {"regression", "classification"}
    classes_ : ndarray of shape (k,)
        Labels of a classification.
    precision_ : float
        Of a regression.
    module_ : torch.nn.Module
        The fitted copy, without dropout unless it is asked through this estimator.
    masks_ : list of Tensor
        Factors of the units, for each dropout layer as it is passed: (m, units).
    loss_curve_ : list of float
        Training loss of each epoch, in standardised units of y or in nats.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Where X is a DataFrame.
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
        positive(self, "epochs", "batch_size", "learning_rate")
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
        tried, used = (order, order) if self.prefit else (order[:held_out], order[held_out:])
        self._set_units(X[used], y[used], scaled=not self.prefit)
        self.module_ = self._copy(X.shape[1], generator)
        self.loss_curve_: list[float] = []
        if not self.prefit:
            self.loss_curve_ = self._train(X[used], y[used], generator)
        set_mode(self.module_, training=False)
        self._draw_members(X, generator)
        if self.task_ == "regression":
            self.precision_ = (
                float(self.precision)
                if self.precision is not None
                else fitted_precision(self._means(X[tried]), y[tried])
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
        take_over(module)
        return module

    def _train(self, X: Floats, y: npt.NDArray[Any], generator: torch.Generator) -> list[float]:
        inputs, targets = self.scale_.tensor(X), self.target_.tensor(y)
        set_mode(self.module_, training=True)

        def loss(rows: torch.Tensor) -> Any:
            with dropping(afresh(generator)):
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
        with torch.no_grad(), dropping(draw_masks(self.n_samples, generator, self.masks_)):
            rows = filled_up(self.scale_.tensor(X[:ROWS]))
            self._outputs_of(stacked(rows, self.n_samples))

    def _members(self, rows: torch.Tensor) -> torch.Tensor:
        with dropping(by_masks(self.masks_)):
            members = len(self.masks_[0])
            return self._outputs_of(stacked(rows, members)).unflatten(0, (members, -1))

    def _outputs_of(self, rows: torch.Tensor) -> torch.Tensor:
        answer = self.module_(rows)
        n, wanted = len(rows), self.target_.n_outputs
        shape = tuple(getattr(answer, "shape", ()))
        if shape in ((n,), (n, 1)) and wanted <= 2:
            answer = answer.reshape(n, 1)
            # The logit of the second class alone says as much as two.
            return answer if wanted == 1 else torch.cat([torch.zeros_like(answer), answer], dim=1)
        if shape != (n, wanted):
            what = f"a logit for each of {wanted} classes" if wanted > 1 else "one number"
            raise ValueError(
                f"the module answers {n} rows with shape {shape}; it must answer each with "
                f"{what}, shape ({n}, {wanted})."
            )
        return answer
