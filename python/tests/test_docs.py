"""What help() says."""

import ast
import inspect
from pathlib import Path

import hetsim
import hetsim._hetsim

STUBS = Path(hetsim.__file__).parent / "_hetsim.pyi"


def test_every_keyword_is_described():
    for documented in [
        hetsim.run,
        hetsim.check,
        hetsim.list,
        hetsim.Simulation,
        hetsim.advise,
        hetsim.calibrate,
        hetsim.validate,
    ]:
        lines = inspect.getdoc(documented).splitlines()
        described = {line.split(":")[0].strip() for line in lines if line.startswith("    ") and ": " in line}
        missing = set(inspect.signature(documented).parameters) - described
        assert not missing, f"{documented}: {missing}"


def documented(body, of):
    """The documented parts of the stubs, with the objects that they describe."""
    for part in body:
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            found = inspect.getattr_static(of, part.name)
            # What Python itself calls has texts of its own.
            if (text := ast.get_docstring(part)) and not part.name.startswith("__"):
                yield part.name, text, inspect.getdoc(found)
            if isinstance(part, ast.ClassDef):
                yield from documented(part.body, found)


def test_help_is_what_editors_show():
    parts = list(documented(ast.parse(STUBS.read_text()).body, hetsim._hetsim))
    assert len(parts) > 60
    for name, stub, own in parts:
        assert stub == own, name
