"""Messages that correct an earlier one."""
