"""REST: the service over HTTP, one file of ``routes`` for each noun. ``create_app`` in app.py puts it together."""
