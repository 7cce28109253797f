"""Remark: a sentence that a reader of a result should know, with its code; and all codes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class RemarkKind(NamedTuple):
    """What all remarks of one code have in common.

    Attributes
    ----------
    when : str
        When the remark appears.
    meaning : str
        What it says about the numbers.
    advice : str
        What a reader can do.
    """

    when: str
    meaning: str
    advice: str


#: Every remark that a result or a widget can have, by its code; the site makes a page of it.
REMARKS = MappingProxyType(
    {
        # The model.
        "unstable-predictions": RemarkKind(
            "The model predicts some rows twice, and the predictions differ.",
            "The predictions change from call to call, or depend on the other rows of the call. "
            "This noise is a part of every result.",
            "Fix the random state of the model, or switch off what only training needs, such as "
            "dropout.",
        ),
        "numbers-like-probabilities": RemarkKind(
            "The target holds 0 and 1, and the model predicts single numbers between them.",
            "They are read as predicted numbers. Measures of classes, such as nll and the error "
            "rate, are not available.",
            "If they are probabilities, pass `as_predictive(model, classes=[0, 1])`.",
        ),
        "rates-of-counts": RemarkKind(
            "A model of counts, such as a Poisson regression, has a target with fractions or "
            "negative numbers.",
            "The target is no count, so that the model has no distribution for it. Its predictions "
            "are read as single numbers; nll and entropy are not available.",
            "Pass counts as y and a function that returns `uq.Poisson(mean)`, if rates are counts "
            "divided by an exposure.",
        ),
        "own-predict": RemarkKind(
            "The model's `predict` answers other labels than the most probable class, or other "
            "numbers than the mean of the distribution, or cannot be used.",
            "Labels and predicted numbers, and scores, importance and curves of them, are those of "
            "`predict`, as in scikit-learn. nll, entropy, std and CRPS are those of the "
            "distribution. Where `predict` cannot be used, the remark says what stands for it.",
            "There is nothing to do, unless the rule of `predict`, such as a threshold, is not the "
            "one that you meant.",
        ),
        "out-of-bag-noise": RemarkKind(
            "A forest of regressors is read tree by tree, and no noise was passed.",
            "Trees predict means. The noise around them was estimated from the out-of-bag "
            "residuals, and nll, entropy and intervals of predictions rest on it.",
            "Pass `noise=` to `as_predictive` if you know the noise better.",
        ),
        "probability-zero": RemarkKind(
            "The model gives an observed class the probability 0, or one of two classes whose "
            "log-odds are shown.",
            "The nll of such a row is infinite, and so are the log-odds. It counts with the "
            "largest value that the measure allows, so the mean depends on that value.",
            "Calibrate the model, or use the Brier score.",
        ),
        "dominating-row": RemarkKind(
            "One row makes up more than half of the mean of a loss.",
            "The mean and its importance are about that row more than about all others.",
            "Look at the row: its target may be an error, or the model may be far too sure there.",
        ),
        "narrow-predictions": RemarkKind(
            "Replacing a feature raises the nll by 100 nats or more.",
            "The predictions are so narrow that, with replaced values, the target has almost no "
            "density. A few rows then decide the number. Whether the model is too sure as it is, "
            "its calibration says.",
            "Rank by the CRPS, which such rows dominate less, or pass `noise=` where the members "
            "of a model are read.",
        ),
        # Rows, categories and memory.
        "target-named-as-a-feature": RemarkKind(
            "The target has the name of a feature: pandas keeps names through arithmetic.",
            "Two columns would be called the same in every picture, so the target is called "
            '"target".',
            "Rename y, for example by its method `rename`.",
        ),
        "missing-values": RemarkKind(
            "A feature has no value in some rows.",
            "These rows are left out, or keep their weight, as the remark says.",
            "Compare both choices of `missing=` where the method has this option, or fill in the "
            "values before.",
        ),
        "rare-categories": RemarkKind(
            "A feature has more categories than are treated one by one.",
            "The result is about the most frequent categories; rarer ones are left out or joined.",
            "Join rare categories in the data, or name the categories or grid values that matter.",
        ),
        "rows-outside-bins": RemarkKind(
            "Rows have no value of the feature within the bins of accumulated local effects.",
            "Their values are missing, beyond the edges, or none of the categories. The effects "
            "are those of the other rows.",
            "Give edges that reach from the lowest to the highest value.",
        ),
        "joined-bins": RemarkKind(
            "Bins of accumulated local effects have fewer than two effective rows.",
            "Such a bin shows no spread, so it is joined with a neighbour, and the effects are at "
            "the edges that remain.",
            "Ask for fewer bins, or leave `grid` out.",
        ),
        "unlike-partial-dependence": RemarkKind(
            "Partial dependence clearly differs from accumulated local effects of the same rows.",
            "The feature interacts with others that it depends on. Partial dependence averages "
            "over combinations of values that are rare or do not occur, where a model "
            "extrapolates; accumulated effects move each row within its own bin only.",
            "Read the accumulated effects, or the curves of rows that are alike (`rows=`).",
        ),
        "sampled-rows": RemarkKind(
            "Importance is computed from more and more rows, and not all are done.",
            "The result rests on a random part of the rows, and its intervals account for that.",
            "Wait for the next results, or stop when the intervals are narrow enough.",
        ),
        "curves-of-some-rows": RemarkKind(
            "The curves of all rows do not fit in the memory limit.",
            "The average is over all rows; only some of the single curves are held.",
            "Raise `memory_limit`, or pass the number of lines that you need.",
        ),
        "memory-limit": RemarkKind(
            "The memory limit is too small for the analysis, or for all that was requested.",
            "More memory was taken than the limit allows, or fewer repeats, values or curves were "
            "computed, as the remark says.",
            "Raise `memory_limit` to the value in the remark, or request less.",
        ),
        "few-pairs": RemarkKind(
            "Weights leave fewer than 30 effective pairs of a scored row and a donor.",
            "The importance of some features rests on a few pairs, and its interval is uncertain.",
            "Ask for more repeats, or use weights that are less extreme.",
        ),
        "no-pairs": RemarkKind(
            "Weights leave no pair of a scored row and a donor for some features.",
            "These features have no importance for such weights.",
            "Ask for more repeats, or use weights that are less extreme.",
        ),
        # Intervals.
        "few-events": RemarkKind(
            "An area under the ROC curve rests on fewer than 20 effective rows of one class.",
            "Its interval is that of Newcombe 2006, which holds for few rows, and is wide.",
            "Collect more rows of the rarer class.",
        ),
        "few-rows-for-slices": RemarkKind(
            "There are fewer than 40 rows, or groups of rows, in which slices are searched for.",
            "Slices are found in one half of the rows and tested in the other half, which takes 20 "
            "rows or groups in each. So none was tested.",
            "Collect more rows, or compare groups that you name yourself by `compare_rows`.",
        ),
        "no-counterpart": RemarkKind(
            "Another table has categories, missing values or numbers that no row has here.",
            "What is expected there says nothing of these rows, or extends what is here beyond its "
            "range.",
            "Look at these rows (`weights.outside`), and collect y for some of them.",
        ),
        "few-rows-like-there": RemarkKind(
            "Fewer than 50 effective rows at hand look like another table.",
            "The weights rest on few rows, and intervals of what is expected there are wide.",
            "Compare fewer columns (`features=`), or collect rows like those there.",
        ),
        "moments-missed": RemarkKind(
            "Weights of the rows at hand miss moments of another table by more than its own error.",
            "No weights that keep enough effective rows bring the two tables closer.",
            "Read what is expected there as a step towards the other table, or compare fewer "
            "columns.",
        ),
        "groups-of-few-rows": RemarkKind(
            "A group by which scores are compared has fewer than 10 rows, or all rows but as few.",
            "Nothing can be said of it, so it is left out.",
            "Join small groups, or collect more of their rows.",
        ),
        "few-groups": RemarkKind(
            "The rows belong to fewer than 10 groups (`groups=`).",
            "Intervals are for other groups, and so few show little of how groups differ.",
            "Read the intervals with care, and collect more groups rather than more rows.",
        ),
        "rows-of-groups": RemarkKind(
            "Rows with the same value of a column, such as a patient or a site, have errors that "
            "resemble each other more than independent rows would.",
            "Intervals are those of independent rows, and too narrow for other patients or sites; "
            "the remark says by how much.",
            "Pass the column as `groups=`, if its values are a sample of those that there are.",
        ),
        "rows-in-order": RemarkKind(
            "Rows that follow each other, in the table or by a date, have errors that resemble "
            "each other.",
            "Intervals are those of independent rows, and too narrow; the remark says by how much.",
            "Pass what orders the rows as `time=`.",
        ),
        "rows-in-time": RemarkKind(
            "The rows have an order (`time=`), and errors of rows that follow each other resemble "
            "each other.",
            "The rows are worth fewer independent ones; the remark says how many. Intervals come "
            "from blocks of consecutive rows and allow for it.",
            "Read intervals of few effective rows with care.",
        ),
        "duplicated-rows": RemarkKind(
            "Rows repeat others exactly, though the numbers in them hardly ever repeat.",
            "A repeated row tells nothing new, and intervals count it as a new one.",
            "Leave repeated rows out, or pass what they belong to as `groups=`.",
        ),
        "varies-within-groups": RemarkKind(
            "Values are to move between whole groups of rows (`permute='groups'`), and a feature "
            "varies within groups.",
            "Values of this feature moved between rows, as without `permute`. Its importance is "
            "that of values of other rows, and its interval is for other groups all the same.",
            "There is nothing to do; leave `permute` out if all features vary within groups.",
        ),
        "single-groups": RemarkKind(
            "With `groups=`, each row is a group of its own.",
            "Intervals are those of independent rows.",
            "Pass the labels of what the rows belong to, such as patients, not those of the rows.",
        ),
        "many-features": RemarkKind(
            "Importance of ten features or more, each with an interval of its own level.",
            "A feature without importance that the model uses looks clearly above zero with a "
            "probability of 2.5 % (of a 95 % interval), and clearly below with as much. Among many "
            "such features, some do.",
            "Pass `simultaneous=True`, so that all intervals hold at once, or use `tests()` of the "
            "result.",
        ),
        "heavy-tails": RemarkKind(
            "A few of at least 150 rows, or groups of rows, make up most of the variance of a "
            "loss, a score or an importance: it has fewer than 30 degrees of freedom.",
            "Rows that are not in the table may be larger still, and intervals hold the true value "
            "less often than they say; the remark gives their simulated coverage.",
            "Use a loss that no row dominates, such as the absolute error, or a median; or more "
            "rows.",
        ),
        "few-effective-rows": RemarkKind(
            "Unequal weights are worth fewer than 30 rows.",
            "Intervals of losses may end too low; the remark gives their simulated coverage.",
            "Use a smaller |τ| or more rows, and read the intervals with care.",
        ),
        "coverage-under-stress": RemarkKind(
            "Intervals of a stress profile rest on fewer effective rows than simulations need "
            "for the coverage that is promised.",
            "From the |τ| in the remark on, intervals cover the true value less often.",
            "Use a smaller |τ|, a larger tail, or more rows.",
        ),
        "importance-under-stress": RemarkKind(
            "Importance over τ rests on fewer than 50 effective rows, or groups of rows.",
            "Intervals of the stressed feature's own importance hold less often than they say.",
            "Use a smaller |τ|, a larger tail, or more rows.",
        ),
        "few-repeats": RemarkKind(
            "An importance has fewer than 5 repeats, on fewer than 50 rows or groups.",
            "Its intervals hold the true value less often than they say; the remark gives their "
            "simulated coverage.",
            "Ask for 10 repeats, or for `n_repeats='all'`.",
        ),
        "given-subgroups": RemarkKind(
            "Values are replaced within subgroups of rows that are alike in the other features "
            "(`replacement='conditional'`).",
            "Importance and its interval are given these subgroups. The remark says which share of "
            "the variance of each feature they account for; it is in `result.subgroups` too. What "
            "features share within a subgroup still counts as importance.",
            "Where features depend on each other more than the subgroups show, leave the others "
            "out of the fit (`Learner.loco`), or move all of them together (`feature_groups`).",
        ),
        "given-models": RemarkKind(
            "Values are replaced given the other features by residuals of a model "
            "(`replacement='conditional', sampler='residuals'`).",
            "Importance and its interval are given these models. The remark says which share of "
            "the variance of each feature they predict for rows that they have not seen. Where the "
            "spread of the residuals depends on the other features, a model of the mean misses it.",
            "Compare with `sampler='subgroups'`, or with fits without the feature "
            "(`Learner.loco`).",
        ),
        "open-ratio": RemarkKind(
            "The mean before the replacement may be near zero, and importance is a ratio to it.",
            "The data set no upper limit to the ratio, so the interval is open.",
            "Use `compare='difference'`.",
        ),
        "no-ratio": RemarkKind(
            "The mean of a measure is not positive, and importance is a ratio to it.",
            "There is no such ratio.",
            "Use `compare='difference'`.",
        ),
        "undefined-metric": RemarkKind(
            "A metric has no value for some rows, as an area under the ROC curve has none where "
            "one class is left, and R² where y is constant.",
            "These features, points or rows have no value, and intervals are from the others.",
            "Use more rows, a smaller |τ|, or a measure that is a mean over rows.",
        ),
        "no-interval": RemarkKind(
            "Leaving out any one row does not change a score, such as an accuracy of 1, or an "
            "importance is of two effective rows, which have the same influence on it.",
            "The error that is estimated from these rows is 0, which cannot be true of others. "
            "No interval is shown.",
            "Use more rows.",
        ),
        "fixed-fits": RemarkKind(
            "LOCO importance compares two fits on the same training rows.",
            "The interval is over test rows. It does not say how other training rows would change "
            "the fits.",
            "Use a `Learner` with several refits for an interval of the procedure.",
        ),
        "learner-coverage": RemarkKind(
            "A result of a learner has an interval.",
            "The remark says what the interval is for, and how often it held the true value in "
            "simulations.",
            "Use the interval that the remark names as better, if it names one.",
        ),
        # The learner.
        "failed-refits": RemarkKind(
            "Fits of the learner failed.",
            "The result is the mean over the refits that succeeded.",
            "Read the error in the remark, and repeat the fit with its seed.",
        ),
        "stratified-refits": RemarkKind(
            "A class is so rare that a plain resample might not contain it.",
            "Each class was resampled by itself, so its share is the same in all refits.",
            "There is nothing to do.",
        ),
        "number-of-refits": RemarkKind(
            "A learner has very few or very many refits.",
            "Few refits make wide and uncertain intervals. Very many make them too narrow, "
            "because all learn from the same rows.",
            "Choose a number of refits within the limits of the remark.",
        ),
        "most-frequent-category": RemarkKind(
            "A mean or median replaces features, and some of them are categorical.",
            "Categories have no mean. Their most frequent value replaces them.",
            "Name a value yourself, or leave the feature out.",
        ),
        # Stress and comparisons.
        "feature-left-out": RemarkKind(
            "Features are not named, and one of them cannot be stressed.",
            "The result has no lines of this feature; the remark gives the reason.",
            "Name the feature, or pass another `missing=`, where the remark says so.",
        ),
        "edge-of-the-rows": RemarkKind(
            "Weighted means of several features can be reached only with many weights of zero.",
            "The weights are the limit of those for less extreme means, and few rows carry them.",
            "Choose means that are nearer to those of the data.",
        ),
        "unreachable-tau": RemarkKind(
            "No weights of the chosen rows reach the mean that τ stands for.",
            "Importance and curves stay as they were at the level before.",
            "Choose a smaller |τ| or more rows.",
        ),
        "unreachable-means": RemarkKind(
            "No weights of the chosen rows reach all held means together.",
            "Importance and curves stay as they were; the remark says which means conflict.",
            "Release one of them, or choose means that are nearer to those of the data.",
        ),
        "unshared-features": RemarkKind(
            "Two models are compared, and one of them has features that the other lacks.",
            "These features are not compared.",
            "Look at each model by itself for them.",
        ),
        # The widget, links and saved pages.
        "no-verdict": RemarkKind(
            "The verdict on each feature was requested, and cannot be had.",
            "The verdict compares the differences of nll and entropy. It has no meaning for ratios "
            "or conditional replacement, and some models and tables lack a measure.",
            "Compare by the difference, choose another replacement, or pass a model with "
            "predictive distributions and the target, as the remark says.",
        ),
        "model-of-one-thread": RemarkKind(
            "The model uses an object that works in one thread alone, such as a connection of "
            "sqlite3.",
            "The numbers are as usual. The thread that made the widget calls the model, in slices "
            "of time, and cells may wait for one.",
            "Open the connection inside the function that predicts, or with "
            "`check_same_thread=False`, and make the widget again.",
        ),
        "filter-of-all-values": RemarkKind(
            "A filter lists every value of a feature that some rows have no value of.",
            "The filter leaves out the rows without a value.",
            "Tick “missing”, or add None to the values.",
        ),
        "input-of-another-model": RemarkKind(
            "Another model is shown, and it cannot have an input of the model before.",
            "The input has another value now.",
            "Set the input, or show the model before.",
        ),
        "learner-of-another-model": RemarkKind(
            "A model is shown that is not the one that the learner refits.",
            "The marks of the learner are not about the model that is shown.",
            "Show the first model to compare it with its learner.",
        ),
        "not-linked": RemarkKind(
            "Explorers are linked, and their tables or models differ.",
            "An input that both do not have stays as it is in one of them.",
            "Link the inputs that both have, by `names=`.",
        ),
        "page-of-some-models": RemarkKind(
            "A page is saved from an explorer of several models.",
            "The page holds the views of the models that were shown or pinned.",
            "Pin a view of each model before saving, or open the notebook.",
        ),
        "page-without-selection": RemarkKind(
            "A page is saved of views that select rows, without `selection=True`.",
            "The selected rows, their cards and their other values are not in the page.",
            "Save the page with `selection=True` if its readers may see these rows.",
        ),
        "page-without-what-if": RemarkKind(
            "A page is saved of a view with other values of a selected row.",
            "The page knows predictions of other values along the curve that is drawn alone.",
            "Open the notebook, which asks the model.",
        ),
        "shown-at-zero": RemarkKind(
            "A saved page shows a τ other than 0.",
            "The view in the remark is that at τ = 0, because the page does not hold others.",
            "Open the notebook for other levels.",
        ),
    }
)


class Remark(str):
    """A sentence that a reader of a result should know, with the code of its kind.

    It is a text, and prints as one. Its code is a heading of the page on remarks, which says when
    remarks of this kind appear, what they mean and what to do.

    Parameters
    ----------
    code : str
        One of the codes in that page.
    text : str
    mends : mapping of str to object, optional
        Arguments of an `Explainer` or of its methods that mend what the remark says, each with the
        value that does; in the widget they are inputs, which one click sets.

    Attributes
    ----------
    code : str
    mends : dict of str to object
        Empty where no argument mends it.
    meaning : str
        What remarks of this kind say about the numbers.
    advice : str
        What a reader can do about them.

    Raises
    ------
    ValueError
        If there is no such code.

    See Also
    --------
    Importance : A result; all results have ``remarks``.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> certain = uq.Explainer(lambda X: np.tile([1.0, 0.0], (len(X), 1)), X, X[:, 0] > 0)
    >>> remark = certain.importance("nll").remarks[0]
    >>> remark.code
    'probability-zero'
    >>> print(remark.advice)
    Calibrate the model, or use the Brier score.
    """

    code: str
    mends: dict[str, Any]

    def __new__(cls, code: str, text: str, mends: Mapping[str, Any] | None = None) -> Remark:
        """Make a remark of a known kind."""
        if code not in REMARKS:
            raise ValueError(f"there is no remark {code!r}; add it to REMARKS.")
        remark = super().__new__(cls, text)
        remark.code = code
        remark.mends = dict(mends or {})
        return remark

    def __getnewargs__(self) -> tuple[str, str, dict[str, Any]]:  # type: ignore[override]
        # A copy, and a remark from another process, are made from all three.
        return self.code, str(self), self.mends

    @property
    def meaning(self) -> str:
        """What remarks of this kind say about the numbers."""
        return REMARKS[self.code].meaning

    @property
    def advice(self) -> str:
        """What a reader can do about remarks of this kind."""
        return REMARKS[self.code].advice
