"""What an explainer can be asked, a part in each file."""
