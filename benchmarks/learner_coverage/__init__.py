"""How often intervals of a learner's importance and dependence hold the truth.

Source: Molnar et al. 2023, section 8.
"""
