"""The rows that a request is about: conditions, cohorts and populations."""
