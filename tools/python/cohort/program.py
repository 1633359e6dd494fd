"""What an evaluated and a compiled module have in common: functions called by name, and named state."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import safetensors
from .data import exact
from .errors import EvaluationError
from .types import Type, bind_dims


class Program(ABC):
    """A module one can call: `program.call("f", {"u": u})` or `program.f(u=u)`, `program.f(u)`."""

    def __init__(self, name: str, functions: tuple[str, ...]) -> None:
        self.name = name
        self.function_names = functions

    @abstractmethod
    def call(
        self, function: str, inputs: Mapping[str, Any] | None = None, dims: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray]:
        """Runs a function on arrays by name, commits its updates and returns its outputs by name.

        `dims` gives named dims that no input determines.
        """

    @abstractmethod
    def input_types(self, function: str) -> dict[str, Type]:
        """The inputs of a function in order."""

    @abstractmethod
    def state_names(self) -> tuple[str, ...]:
        """The state variables."""

    @abstractmethod
    def state(self, name: str) -> np.ndarray:
        """A copy of a state variable."""

    @abstractmethod
    def set_state(self, name: str, value: Any) -> None:
        """Overwrites a state variable."""

    @abstractmethod
    def reset(self) -> None:
        """Gives every state variable its initial value."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all state variables to a `.safetensors` file."""
        safetensors.write(path, {safetensors.key_of(name): self.state(name) for name in self.state_names()})

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads all state variables from a `.safetensors` file; none may be missing."""
        tensors = safetensors.read(path)
        missing = [name for name in self.state_names() if safetensors.key_of(name) not in tensors]
        if missing:
            raise EvaluationError(f"`{path}` has no state variable `{missing[0]}`")
        for name in self.state_names():
            self._restore_state(name, tensors[safetensors.key_of(name)])

    def _restore_state(self, name: str, value: Any) -> None:
        """As `set_state`, of a variable that is not settable, too."""
        self.set_state(name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("function_names", ()):
            raise AttributeError(f"module `{self.__dict__.get('name')}` has no function `{name}`")

        def call(*positional: Any, **named: Any) -> dict[str, np.ndarray]:
            inputs = list(self.input_types(name))
            if len(positional) > len(inputs):
                raise EvaluationError(f"function `{name}` takes {len(inputs)} inputs, got {len(positional)}")
            return self.call(name, {**dict(zip(inputs, positional)), **named})

        return call

    def _check_state(self, name: str) -> None:
        if name not in self.state_names():
            raise EvaluationError(f"module `{self.name}` has no state variable `{name}`")

    @staticmethod
    def converted(
        name: str,
        type_: Type,
        value: Any,
        dims: dict[str, int] | None = None,
        declared: Mapping[str, tuple[int, int]] | None = None,
    ) -> np.ndarray:
        """`value` as an array of the type: a NumPy array of a dtype that fits, or plain numbers that do."""
        wanted = type_.numpy_dtype
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype != wanted:
            if not np.can_cast(value.dtype, wanted, "safe"):
                raise EvaluationError(f"argument `{name}`: expected {type_}, got dtype {value.dtype}")
        try:
            array = exact(value, wanted)
        except ValueError as error:
            raise EvaluationError(f"argument `{name}`: expected {type_}, but {error}") from None
        bind_dims({} if dims is None else dims, declared or {}, name, type_, array.shape)
        return np.require(array, requirements=["C", "A"])
