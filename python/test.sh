#!/usr/bin/env bash
# Tests the Python package with a real interpreter: `python/test.sh`.
#
# It builds the package into a new environment, checks the stubs, and runs the tests and the notebooks. The build uses
# the target folder of the checkout, so that dependencies are compiled once. PYTHON names another interpreter. Where there
# is no Python from 3.9 on, or pip cannot get what the tests need, it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "python/test.sh: skipped: $*"
    exit 0
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "$("$python" --version) is older than 3.9"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv" >/dev/null 2>&1 || skip "$python makes no environment"
in_venv() { "$work/venv/bin/python" -m "$@"; }
in_venv pip install -q --disable-pip-version-check maturin pytest mypy pandas pandas-stubs pyarrow polars matplotlib \
    nbconvert ipykernel >"$work/said" 2>&1 || skip "pip cannot install what the tests need: $(tail -1 "$work/said")"

export PATH="$work/venv/bin:$PATH" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
in_venv pip install -q --disable-pip-version-check --no-build-isolation .
"$work/venv/bin/hetsim" --version
in_venv mypy.stubtest hetsim
in_venv pytest -q python/tests

# Notebooks leave nothing behind.
mkdir "$work/examples"
cp -r examples/notebooks "$work/examples"
cp -r scenarios "$work"
for notebook in "$work"/examples/notebooks/*.ipynb; do
    in_venv nbconvert --to notebook --execute --inplace "$notebook" >"$work/said" 2>&1 || {
        cat "$work/said"
        exit 1
    }
    echo "executed $(basename "$notebook")"
done
cd "$work/examples/notebooks"
left=$(find . -mindepth 1 ! -name '*.ipynb')
[ -z "$left" ] || { echo "the notebooks leave behind: $left"; exit 1; }
