"""Operations beside the running flow: backfill, dry run, export and import, rebuild, reindex."""
