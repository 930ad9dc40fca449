"""The exception for errors that the user can correct."""


class Failure(Exception):
    """An error that is reported to the user in one message."""
