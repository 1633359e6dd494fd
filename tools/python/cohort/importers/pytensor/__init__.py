"""Imports PyTensor graphs and PyMC models: `from_pytensor` gives a module with one function, `from_pymc` a
model's log density and its gradient.

Start reading at `graph.py` and `convert.py`; `elementwise.py`, `shaping.py`, `subtensor.py`, `reductions.py`,
`linalg.py`, `decompositions.py`, `special.py`, `random.py` and `loops.py` have one table of operators each.
`pymc.py`, `sampler.py` and `nutpie.py` are for models.
"""

from .graph import from_pytensor

__all__ = ["from_pytensor"]
