"""Operations beside the running flow: dry run, export and import, rebuild."""
