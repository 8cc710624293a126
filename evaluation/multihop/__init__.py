"""Questions whose answer lies in several places: whether several searches find all of them where one does not."""
