"""The corpus of Headstart's benchmarks; see ../make-corpus.py."""
