"""The lookup of torch's public names, and the objects under those that have no module there."""
