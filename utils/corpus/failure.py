"""The exception for what the user can do something about."""


class Failure(Exception):
    """Something the user must hear about, in one message."""
