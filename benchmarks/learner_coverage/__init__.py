"""Coverage of the intervals of a learner's importance and dependence.

Source: Molnar et al. 2023, section 8.
"""
