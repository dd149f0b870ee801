"""The general way of a call: every case that the written code leaves out."""
