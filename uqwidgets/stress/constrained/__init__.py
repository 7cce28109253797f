"""Any number of constraints at once: feasibility first, then the projection."""
