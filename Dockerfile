# Vulkan on the CPU in a container: `./etzel package`, then `docker build -t etzel .`; `docker run --rm etzel` shows it.
# Programs go in by `FROM etzel`; they need no variable, since no other driver is there.
FROM debian:13-slim
COPY out/packages/etzel_*.deb /tmp/
RUN apt-get update -q && \
    apt-get install -q -y --no-install-recommends /tmp/etzel_*.deb libvulkan1 vulkan-tools && \
    rm -rf /var/lib/apt/lists/* /tmp/etzel_*.deb
CMD ["vulkaninfo", "--summary"]
