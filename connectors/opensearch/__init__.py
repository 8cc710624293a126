"""The index of a deployment, on OpenSearch."""
