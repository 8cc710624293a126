"""Sessions of the console: who logged in, with which key, until when. sessions.py has the cookie, and says what holds."""
