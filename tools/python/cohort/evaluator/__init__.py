"""A NumPy evaluator of graphs: a second, independent statement of what every operator means.

Start at `machine.py`; `scalar.py`, `shaping.py`, `indexing.py` and `reductions.py` hold the operators.
"""

from .machine import Evaluator, evaluate

__all__ = ["Evaluator", "evaluate"]
