"""The cases: each is a function of the module `torch`, whichever library that is."""
