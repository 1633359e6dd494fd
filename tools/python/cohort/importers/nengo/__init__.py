"""Imports Nengo models: `to_module(network)` gives a module whose function `step` is exactly one simulator
step.

Start reading at `convert.py`; `memory.py` holds how signals and their views become values, `operators.py`,
`neurons.py`, `processes.py`, `learning.py` and `transforms.py` one function for each of Nengo's operators.
"""

from .convert import to_module

__all__ = ["to_module"]
