"""Operations beside the running flow: export and import, rebuild."""
