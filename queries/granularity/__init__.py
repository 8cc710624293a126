"""granularity: which type of memory a question wants first, and which foresights and portraits may stand."""
