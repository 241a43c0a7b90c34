# Footlight in an image: docker build -t footlight . && docker run -p 8080:8080 -p 1935:1935 -v footlight:/data footlight
# Without FFmpeg (GPLv3), so without covers and variants: --build-arg TRANSCODER=no
ARG BASE=docker.io/library/node:24-bookworm-slim

# What the service needs to run, as the lock file says; no install script is run.
FROM ${BASE} AS modules
ARG TRANSCODER=yes
WORKDIR /opt/footlight
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && if [ "$TRANSCODER" = no ]; then rm -rf node_modules/node-av node_modules/@seydx; fi

# The pages' scripts, bundled once.
FROM modules AS built
COPY . .
RUN bun=$(node packages/docker/bun-file.js) \
  && "$bun" src/web/pages/bundle-program.ts built/pages.json \
  && "$bun" src/web/console/console-bundle-program.ts built/console.json

FROM ${BASE}
LABEL org.opencontainers.image.title="Footlight" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /opt/footlight
COPY --from=modules /opt/footlight/node_modules ./node_modules
COPY --from=built /opt/footlight/built ./built
COPY package.json LICENSE README.md CHANGELOG.md ./
COPY bin ./bin
COPY clip ./clip
COPY places ./places
COPY packages ./packages
COPY src ./src
RUN ln -s /opt/footlight/bin/footlight.js /usr/local/bin/footlight \
  && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080 1935
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "/opt/footlight/packages/docker/healthy.js"]
ENTRYPOINT ["footlight"]
CMD ["serve"]
