"""The exceptions of this package; all derive from `CohortError`."""


class CohortError(Exception):
    """A graph, a call or a tool run that cannot be carried out; the text says why."""


class GraphError(CohortError):
    """The graph (file or builder call) is wrong."""


class EvaluationError(CohortError):
    """A call failed while running: an index out of range, a failed `assert`, a wrong shape."""


class ToolError(CohortError):
    """The `cohort` command is missing or reported an error."""
