"""Experiments with known truth, drawn from latent logits, and how what is told about strong play holds in them.

``python -m tests.simulations WORLD --experiments N --seed S`` prints a row of figures; see `__main__`.
"""
