"""Operations beside the running flow: backfill, export and import, rebuild, reindex."""
