"""Describes inputs as plain data, builds them with either library, records what came out."""
