"""What follows tau: its 41 levels, and what the views show at each."""
