"""A column as a small exact table, on which every level of tau is solved at once."""
