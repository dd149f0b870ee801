"""What is run: every case is a function of the module `torch`, whichever library that is."""
