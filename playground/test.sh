#!/usr/bin/env bash
# Tests the playground in headless Chromium: builds it, uses it as people do, and compares every scenario of its menu
# with the command. Where there is no Chromium, no Python or no target for WebAssembly, it says so and passes.
#
#   playground/test.sh target/release/hetsim
set -euo pipefail
hetsim=$(realpath "${1:?usage: playground/test.sh HETSIM}")
cd "$(dirname "$0")/.."

skip() { echo "skipped: $*"; exit 0; }

browser=
for name in ${HETSIM_BROWSER:-} chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then browser=$name; break; fi
done
[ -n "$browser" ] || skip "there is no Chromium in PATH, and HETSIM_BROWSER names no other browser"
command -v python3 >/dev/null || skip "there is no python3"
target=wasm32-unknown-unknown
[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target" 2>/dev/null \
    || skip "the target $target cannot be had"

# In units that are compiled side by side: this takes half the time, and gives a third more bytes.
CARGO_PROFILE_PLAYGROUND_CODEGEN_UNITS=16 playground/build.sh
python3 playground/test/test.py site/play "$hetsim" "$browser"
