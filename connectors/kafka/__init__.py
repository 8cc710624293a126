"""Kafka: a connection, reading partitions, writing so that nothing vanishes, and publishing events."""
