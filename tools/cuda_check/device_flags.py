"""The flags with which Cohort's recipe has nvcc compile what it emits (codegen/recipe.h)."""
import pathlib
import re

RECIPE = pathlib.Path(__file__).resolve().parent.parent.parent / "codegen/recipe.h"


def device_flags():
    """Without the language's standard."""
    text = re.search(r"kDeviceFlags = \{(.*?)\};", RECIPE.read_text(), re.S).group(1)
    return [flag for flag in re.findall(r'"([^"]+)"', text) if not flag.startswith("-std=")]
