"""Rows that outgrow memory: batches whose compressed columns add up."""
