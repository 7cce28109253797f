"""How often intervals of a learner's importance and dependence hold the truth (003, section 8)."""
