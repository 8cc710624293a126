"""Dead letters: kept in a file, found by whom they tell of, and sent again."""
