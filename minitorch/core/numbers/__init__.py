"""Number types and sizes: dtype, device, Size, promotion, limits, scalars. Imports only NumPy."""
