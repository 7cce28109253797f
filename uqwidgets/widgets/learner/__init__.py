"""The learner beside the model: its refits, and what they add to the views."""
