"""Parts that the pictures of all results share: SVG, HTML, axes, number formats and palette."""
