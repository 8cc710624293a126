# The flow and the command line. Build: docker build -t mneme .
# With tesseract and LibreOffice, for scans, pictures and old Office files: docker build -t mneme:full --target full .
FROM python:3.11-slim AS build
WORKDIR /opt/mneme
RUN python -m venv /opt/venv
COPY requirements.lock ./
# The lock is complete and has a hash of each file: as requirements/install.sh does it.
RUN /opt/venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY mneme mneme
COPY connectors connectors
COPY flows flows
COPY queries queries
COPY serving serving
RUN /opt/venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim AS slim
RUN useradd --create-home --uid 10001 mneme && install --directory --mode=0700 --owner=mneme --group=mneme /data
COPY --from=build /opt/venv /opt/venv
COPY --chown=mneme:mneme examples /home/mneme/examples
ENV PATH=/opt/venv/bin:$PATH MNEME_DATA=/data PYTHONUNBUFFERED=1
USER mneme
WORKDIR /home/mneme
VOLUME /data
# mneme serve; with MNEME_SERVICE__HOST=0.0.0.0, which wants keys
EXPOSE 8765
STOPSIGNAL SIGTERM
ENTRYPOINT ["mneme"]
CMD ["run"]

FROM slim AS full
USER root
COPY requirements/system-packages.sh /tmp/
RUN /tmp/system-packages.sh && tesseract --version && soffice --version && rm -rf /tmp/system-packages.sh /var/lib/apt/lists/*
USER mneme

# Without a target: the small one.
FROM slim
