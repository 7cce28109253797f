"""The page: an explorer in one HTML file, which answers its controls from stored results."""
