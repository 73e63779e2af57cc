# Liminal Builder in a container: the package as it is published, with Git for checkpoints and worktrees.
FROM node:22-slim AS build
WORKDIR /build
COPY . .
RUN npm install --no-audit --no-fund && npm pack --pack-destination /tmp

FROM node:22-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git procps tini \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/liminal-builder-*.tgz /tmp/
RUN npm install -g --no-audit --no-fund /tmp/liminal-builder-*.tgz && rm -rf /tmp/*.tgz /root/.npm
RUN mkdir -p /data /projects && chown node:node /data /projects
USER node
ENV LIMINAL_DATA_DIR=/data LIMINAL_NO_OPEN=1 LIMINAL_PORT=3000
VOLUME /data
WORKDIR /projects
EXPOSE 3000
STOPSIGNAL SIGTERM
# tini reaps what agents leave behind; the server behind it is the launcher's own process.
ENTRYPOINT ["tini", "--", "liminal"]
# A container's own address is reached from outside only where the port is published: TLS would end at this machine.
CMD ["serve", "--host", "0.0.0.0", "--insecure"]
