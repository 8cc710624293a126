"""Parts that the lanes of all steps share: jobs, epochs, snapshots, services, owners, parked events, erasures."""
