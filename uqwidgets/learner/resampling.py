"""Which rows each refit learns from, and which it is scored on.

Three ways to resample: the bootstrap, subsampling, and groups of rows of which every two are left
out once. Or a splitter of scikit-learn's kind gives the rows. Rows that belong together, such as
those of a patient, are drawn and held out together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import check_cv

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.options import brief, is_real
from uqwidgets._utils.quiet import hidden_warnings
from uqwidgets.inference.groups import GroupCount, RowGroups, described
from uqwidgets.plotting.text import counted

Resampling = Literal["bootstrap", "subsampling", "leave-two-groups-out"]
RESAMPLINGS: tuple[Resampling, ...] = get_args(Resampling)

# A resample may lack a class of fewer rows, and the fit on it would then be another kind of model.
_RARE = 20


@dataclass(frozen=True, eq=False)
class Resample:
    """Rows of one refit.

    Attributes
    ----------
    train : ndarray of shape (n1,)
        Positions of the training rows; a bootstrap repeats the rows that it drew several times.
    held_out : ndarray of shape (n2,)
        Positions of the rows that are not among them.
    """

    train: Positions
    held_out: Positions


@dataclass(frozen=True, eq=False)
class GroupSplits:
    """Every way to leave two of G groups of rows out.

    Attributes
    ----------
    groups : ndarray of shape (n,)
        Group of each row, from 0 to G - 1.
    left_out : ndarray of shape (m, 2)
        The two groups that each refit is scored on; m = G (G - 1) / 2.
    train : tuple of m ndarrays of shape (n_train,)
        Positions of the rows that each refit learns from.
    """

    groups: Positions
    left_out: Positions
    train: tuple[Positions, ...]

    def held_out(self, refit: int) -> Positions:
        """Positions of the rows that a refit is scored on."""
        return np.flatnonzero(np.isin(self.groups, self.left_out[refit]))


def leave_two_groups_out(
    n: int,
    n_refits: int = 15,
    train_fraction: float = 0.632,
    random_state: int | np.random.Generator | None = None,
    units: str = "",
) -> GroupSplits:
    """Cut the rows at random into groups and leave every two of them out once.

    Each row is held out, and learned from, equally often, and so is each pair of groups. The
    refits that left one group out, scored on the second group that each left out, are a
    cross-validation of the table without that group. The jackknife of `group_jackknife_interval`
    therefore needs no further refits.

    Parameters
    ----------
    n : int
        Number of rows.
    n_refits : int
        10, 15, 21 or another number of pairs: 5, 6, 7 groups.
    train_fraction : float
        Largest share of the rows to learn from, so that refits learn from as many rows as with
        other resampling. With six groups, 2/3 of the rows remain; those in excess of the share
        are dropped at random. Where fewer rows remain, all of them are used.
    random_state : int, numpy.random.Generator or None
    units : str
        What the n rows are, in an error, such as "30 patients".

    Returns
    -------
    GroupSplits

    Raises
    ------
    ValueError
        If ``n_refits`` is not a number of pairs, or a group would have fewer than two rows.
    """
    n_groups = round((1 + np.sqrt(1 + 8 * max(n_refits, 0))) / 2)
    if n_groups < 4 or n_groups * (n_groups - 1) // 2 != n_refits:
        raise ValueError(
            f"n_refits is {n_refits}; to leave out every two of G groups takes G (G - 1) / 2 "
            "refits: 6, 10, 15, 21, 28, ..."
        )
    if n < 2 * n_groups:
        raise ValueError(
            f"{units or counted(n, 'row')} cannot be cut into {n_groups} groups of two or more, "
            f"which takes {2 * n_groups}; use more of them or fewer refits."
        )
    rng = np.random.default_rng(random_state)
    groups = rng.permutation(np.arange(n, dtype=np.intp) % n_groups)
    left_out = np.array(list(combinations(range(n_groups), 2)), dtype=np.intp)
    largest = max(1, int(train_fraction * n))
    train = []
    for pair in left_out:
        rows = np.flatnonzero(~np.isin(groups, pair))
        if len(rows) > largest:
            rows = np.sort(rng.choice(rows, largest, replace=False))
        train.append(rows)
    return GroupSplits(groups, left_out, tuple(train))


@dataclass(frozen=True, eq=False)
class ResamplingPlan:
    """How the resamples of all refits are drawn.

    Each resample has a seed of its own, so that a learner of more refits begins with the resamples
    of a learner of fewer.

    Attributes
    ----------
    n : int
        Rows of the table.
    resampling : {"bootstrap", "subsampling", "leave-two-groups-out"} or str
        The name of the splitter, where one was given.
    train_fraction : float
        Share of the rows, or of their groups, that a subsample learns from.
    strata : ndarray of shape (u,) or None
        Class of every unit, where each class is resampled by itself: the class of a row, or the
        rarest one among the rows of a group.
    seed : int
    splits : GroupSplits or None
        The resamples of ``"leave-two-groups-out"``, which are all drawn at once, of units.
    row_groups : RowGroups or None
        Rows that are drawn together. These groups are then the u units that are drawn, and
        otherwise the units are the rows.
    given : tuple of Resample or None
        The splits of a splitter, in its order.
    """

    n: int
    resampling: str
    train_fraction: float
    strata: Positions | None
    seed: int
    splits: GroupSplits | None = None
    row_groups: RowGroups | None = None
    given: tuple[Resample, ...] | None = None

    @classmethod
    def of(
        cls,
        y: npt.NDArray[Any],
        resampling: str,
        train_fraction: float,
        classifier: bool,
        seed: int,
        n_refits: int,
        row_groups: RowGroups | None = None,
    ) -> ResamplingPlan:
        """Validate the options, and decide whether classes are resampled by themselves.

        Raises
        ------
        ValueError
            For a name that does not exist, a fraction out of range, too few rows or groups, a class
            of a single row or group, or a number of refits that leaves no two groups out.
        """
        name = one_of(RESAMPLINGS, resampling, "resampling")
        if not is_real(train_fraction) or not 0 < train_fraction < 1:
            raise ValueError(
                f"train_fraction is {brief(train_fraction)}; it must be between 0 and 1, such as "
                "0.632."
            )
        n = len(y) if row_groups is None else len(row_groups)
        units = _counted_units(n, row_groups)
        if n < 4:
            raise ValueError(f"there are {units}; refits need at least 4 to hold some out.")
        strata, splits = _strata(y, row_groups) if classifier else None, None
        if name == "leave-two-groups-out":
            if strata is not None:
                where = "has" if row_groups is None else "is in"
                raise ValueError(
                    f"a class {where} fewer than {_counted_units(_RARE, row_groups)}, too few to "
                    "cut into groups; use resampling='bootstrap'."
                )
            splits = leave_two_groups_out(n, n_refits, train_fraction, seed, units)
        return cls(len(y), name, train_fraction, strata, seed, splits, row_groups)

    @classmethod
    def of_splits(
        cls,
        cv: Any,
        X: Any,
        y: npt.NDArray[Any],
        classifier: bool,
        seed: int,
        row_groups: RowGroups | None = None,
    ) -> ResamplingPlan:
        """Take the rows that a splitter gives.

        Parameters
        ----------
        cv : int, splitter or iterable of pairs
            What scikit-learn's ``check_cv`` takes.
        X : DataFrame or array-like of shape (n, p)
        y : ndarray of shape (n,)
        classifier : bool
            Whether a number of folds stands for folds in which the classes have their shares.
        seed : int
            Of the fits.
        row_groups : RowGroups or None

        Raises
        ------
        TypeError
            If it is no splitter.
        ValueError
            If it cannot split the rows, gives fewer than two splits, a split without rows to learn
            from or to score, or one that takes rows of a group apart.
        """
        try:
            splitter = check_cv(cv, y, classifier=classifier)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"cv is {brief(cv)}; pass a number of folds, a splitter of scikit-learn, or a list "
                "of (training rows, held-out rows)."
            ) from error
        codes = None if row_groups is None else row_groups.codes
        places = np.arange(len(y)).__getitem__
        try:
            with hidden_warnings(UserWarning):  # some splitters warn that they ignore groups
                given = tuple(Resample(*map(places, pair)) for pair in splitter.split(X, y, codes))
        except Exception as error:
            raise ValueError(f"cv cannot split the rows: {in_one_line(error)}") from error
        if len(given) < 2:
            raise ValueError(
                f"cv gives {counted(len(given), 'split')}; a learner needs at least 2."
            )
        for number, rows in enumerate(given):
            if not (len(rows.train) and len(rows.held_out)):
                raise ValueError(
                    f"split {number} of cv has no rows to learn from or none to score; use fewer."
                )
            of_unit = rows if codes is None else Resample(codes[rows.train], codes[rows.held_out])
            if len(np.intersect1d(of_unit.train, of_unit.held_out)):
                problem = (
                    "scores a row that it learns from; pass splits without common rows"
                    if codes is None
                    else "learns from some rows of a group and scores others; use a splitter that "
                    "keeps groups whole, such as GroupKFold"
                )
                raise ValueError(f"split {number} of cv {problem}.")
        name = type(splitter).__name__
        name = "the splits of cv" if name.startswith("_") else name
        return cls(len(y), name, 0.632, None, seed, None, row_groups, given)

    @property
    def n_units(self) -> int:
        """Number of units, u: of groups, or else of rows."""
        return self.n if self.row_groups is None else len(self.row_groups)

    @property
    def unit_of_row(self) -> Positions:
        """The unit of each row, shape (n,)."""
        return np.arange(self.n) if self.row_groups is None else self.row_groups.codes

    def group_count(self, ess: Sequence[float] = ()) -> GroupCount | None:
        """Return the number of groups of all rows; None if each row is independent.

        Parameters
        ----------
        ess : sequence of m floats
            Effective number of groups that each refit held out, to average; by default every group
            counts as one.
        """
        if self.row_groups is None:
            return None
        worth = float(np.mean(ess)) if len(ess) else float(self.n_units)
        return GroupCount(self.row_groups.name, self.n_units, worth)

    def units_of(self, rows: Positions) -> Positions:
        """Return the units that some rows belong to, each once and in order."""
        return np.unique(self.unit_of_row[rows])

    def unit_values(self, values: Floats, rows: Positions, mean: Floats) -> Floats:
        r"""Return values of units whose mean has the variance of the mean over rows.

        Groups of several sizes make the mean over rows a ratio of two sums. To first order, the
        value of group g with the rows :math:`R_g` is :math:`\bar v + \frac un \sum_{i \in R_g}
        (v_i - \bar v)`, with n / u the mean size of a group.

        Parameters
        ----------
        values : ndarray of shape (r, ...)
            Values of some rows, among them all rows of their units.
        rows : ndarray of shape (r,)
            Their positions.
        mean : ndarray of shape (...)
            Mean of these values.

        Returns
        -------
        ndarray of shape (k, ...)
            In the order of `units_of`; without groups the values themselves.
        """
        if self.row_groups is None:
            return values
        sums = self.row_groups.among(rows).sums_of_rows(values - mean)
        return mean + self.n_units / self.n * sums

    def same_as(self, other: ResamplingPlan) -> bool:
        """Whether another plan draws the same resamples."""
        fields = ("n", "n_units", "resampling", "train_fraction", "seed")
        return (
            all(getattr(self, f) == getattr(other, f) for f in fields)
            and (self.strata is None) == (other.strata is None)
            and np.array_equal(self.unit_of_row, other.unit_of_row)
            and self._given_rows() == other._given_rows()
        )

    def _given_rows(self) -> list[list[int]]:
        return [rows.tolist() for one in self.given or () for rows in (one.train, one.held_out)]

    def seeds(self, number: int) -> tuple[np.random.Generator, int]:
        """Return the generator that draws a resample, and the seed of its fit."""
        root = np.random.SeedSequence(self.seed, spawn_key=(number,))
        rows, fit = root.spawn(2)
        return np.random.default_rng(rows), int(fit.generate_state(1)[0] % 2**31)

    def resample(self, number: int) -> Resample:
        """Draw the rows of one refit."""
        if self.given is not None:
            return self.given[number]
        if self.splits is not None:
            parts = self.splits.train[number], self.splits.held_out(number)
            return Resample(*(np.flatnonzero(np.isin(self.unit_of_row, u)) for u in parts))
        rng, _ = self.seeds(number)
        strata = [np.arange(self.n_units)]
        if self.strata is not None:
            strata = [np.flatnonzero(self.strata == c) for c in np.unique(self.strata)]
        drawn = np.concatenate([self._draw(units, rng) for units in strata])
        times = np.bincount(drawn, minlength=self.n_units)[self.unit_of_row]
        return Resample(np.repeat(np.arange(self.n), times), np.flatnonzero(times == 0))

    def _draw(self, units: Positions, rng: np.random.Generator) -> Positions:
        if self.resampling == "subsampling":
            size = int(np.clip(round(self.train_fraction * len(units)), 1, len(units) - 1))
            return rng.choice(units, size, replace=False)
        while True:  # a bootstrap of few units may contain all of them and hold none out
            sample = rng.choice(units, len(units))
            if len(np.unique(sample)) < len(units):
                return sample


def _counted_units(n: int, row_groups: RowGroups | None) -> str:
    return counted(n, "row") if row_groups is None else described(row_groups.name, n)


def _strata(y: npt.NDArray[Any], row_groups: RowGroups | None) -> Positions | None:
    """Class of every unit, the rarest one of a group, if one of the classes is rare."""
    labels, codes = np.unique(y, return_inverse=True)
    units = np.arange(len(y)) if row_groups is None else row_groups.codes
    of_class, unit = np.unique(np.stack([codes, units]), axis=1)
    counts = np.bincount(of_class)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        where = "has a single row" if row_groups is None else "is in a single group of rows"
        raise ValueError(
            f"class {labels.tolist()[rarest]!r} {where}, which cannot be learned from and held "
            "out; leave this class out or add rows of it."
        )
    if counts[rarest] >= _RARE:
        return None
    strata = np.empty(int(units.max()) + 1, dtype=np.intp)
    common_first = np.argsort(-counts[of_class], kind="stable")
    strata[unit[common_first]] = of_class[common_first]  # the last, and rarest, class stays
    # One group cannot be both learned from and held out.
    sizes = np.bincount(strata, minlength=len(labels))
    strata[sizes[strata] < 2] = sizes.argmax()
    return strata if np.ptp(strata) else None
