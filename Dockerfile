# docker build -t hetsim . && docker run --rm -v "$PWD:/work" hetsim mine.toml
FROM rust:1.95-slim AS build
WORKDIR /hetsim
COPY . .
RUN cargo build --release --locked

FROM debian:stable-slim
COPY --from=build /hetsim/target/release/hetsim /usr/local/bin/hetsim
COPY --from=build /hetsim/scenarios /usr/share/hetsim/scenarios
WORKDIR /work
ENTRYPOINT ["hetsim"]
