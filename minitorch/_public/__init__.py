"""What finds the public names of torch, and what stands behind those that have no module there."""
