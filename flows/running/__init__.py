"""Running the steps: the recovery store, the processes that share the work, and the endless stream from Kafka."""
