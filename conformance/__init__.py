"""Compares a torch-like library with real torch, under conditions that hold on any processor."""

import sys

from conformance import conditions

conditions.impose(conditions.asked_for(sys.argv))  # before torch and NumPy are loaded
