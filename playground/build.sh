#!/usr/bin/env bash
# Builds the playground into site/play: static files for any web server.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
site=${1:-site/play}
[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target"
cargo build --locked --package hetsim-playground --lib --profile playground --target "$target"
rm -rf "$site"
# The bundler needs no simulator, which is compiled for WebAssembly only.
cargo run --locked --quiet --release --package hetsim-playground --no-default-features --bin bundle -- \
    "${CARGO_TARGET_DIR:-target}/$target/playground/hetsim_playground.wasm" "$site"
printf 'built %s: hetsim_bg.wasm has %s bytes, %s compressed\n' "$site" \
    "$(wc -c <"$site/hetsim_bg.wasm")" "$(gzip -9c "$site/hetsim_bg.wasm" | wc -c)"
