"""Telemetry of the program itself: metrics, traces, logs. Nothing leaves this machine unless a setting says so."""
