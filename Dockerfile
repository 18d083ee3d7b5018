# Plumbline in one container: the page server with its worker. How to run it, back it up and what it costs: docs/host.md.
#
# A tag moves. `docker buildx imagetools inspect python:3.11-slim-bookworm` prints its digest; to pin it, build with
# --build-arg BASE=docker.io/library/python:3.11-slim-bookworm@sha256:DIGEST
ARG BASE=docker.io/library/python:3.11-slim-bookworm

FROM ${BASE} AS build
RUN python -m venv /venv
WORKDIR /locks
COPY requirements.lock requirements-smollm.lock requirements-torch.txt ./
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# As `make run` installs. pip compiles the modules: the user below may not write beside them.
RUN /venv/bin/pip install --quiet --require-hashes --no-deps -r requirements.lock
RUN /venv/bin/pip install --quiet --require-hashes --no-deps -r requirements-smollm.lock
# This index has torch without CUDA. For a graphics card: --build-arg PIP_EXTRA_INDEX_URL=
ARG PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
RUN /venv/bin/pip install --quiet -r requirements-torch.txt && /venv/bin/pip uninstall --quiet --yes pip
COPY . /app
RUN /venv/bin/python -m compileall -q /app

FROM ${BASE}
# bubblewrap keeps scoring programs of other people apart (docs/own_task.md). It wants leave of the host: docs/host.md.
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap \
    && rm -rf /var/lib/apt/lists/*
# A Space runs containers as user 1000, too.
RUN useradd --uid 1000 --create-home plumbline && install -d -o plumbline -g plumbline /data
COPY --from=build /venv /venv
COPY --from=build /app /app
ENV PATH=/venv/bin:$PATH \
    PLUMBLINE_DATA=/data \
    GRADIO_SERVER_NAME=0.0.0.0 \
    PORT=7860 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    GRADIO_ANALYTICS_ENABLED=False
USER plumbline
WORKDIR /app
VOLUME /data
EXPOSE 7860
# 503 = failed or closing (docs/api.md). The first start makes the lab's model, before the pages open.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=8)"]
STOPSIGNAL SIGTERM
CMD ["python", "app.py"]
