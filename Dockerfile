# docker build -t hetsim . && docker run --rm -v "$PWD:/work" hetsim mine.toml
FROM rust:1.95-slim AS build
WORKDIR /hetsim
COPY . .
RUN cargo build --release --locked
RUN cargo install --locked cargo-bundle-licenses && cargo bundle-licenses --format yaml --output THIRDPARTY.yml

FROM debian:stable-slim
COPY --from=build /hetsim/target/release/hetsim /usr/local/bin/hetsim
COPY --from=build /hetsim/scenarios /usr/share/hetsim/scenarios
COPY --from=build /hetsim/LICENSE-* /hetsim/THIRDPARTY.yml /hetsim/src/report/print/fonts/OFL.txt /usr/share/doc/hetsim/
WORKDIR /work
ENTRYPOINT ["hetsim"]
