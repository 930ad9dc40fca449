"""The parts of days.py, which works through ordinary days of a project."""
