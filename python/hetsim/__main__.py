"""The command `hetsim`, also as `python -m hetsim`."""

import os
import sys

from ._hetsim import command


def main() -> int:
    """Runs the command of the process's arguments and returns its exit code."""
    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) == "__main__.py":
        # Job scripts need a program: the one beside the interpreter.
        program = os.path.join(os.path.dirname(sys.executable), "hetsim")
    return command([program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
