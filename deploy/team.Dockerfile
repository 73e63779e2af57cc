# The image of a team's servers: Liminal Builder, with what leads to places. Build that of ../Dockerfile first:
#   docker build -t liminal-builder . && docker build -t liminal-team -f deploy/team.Dockerfile deploy
ARG LIMINAL_IMAGE=liminal-builder
FROM ${LIMINAL_IMAGE}
USER root
RUN apt-get update \
  && apt-get install -y --no-install-recommends openssh-client kubernetes-client \
  && rm -rf /var/lib/apt/lists/*
USER node
