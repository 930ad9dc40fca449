"""Makes the corpus of Headstart's benchmarks; see ../make-corpus.py.

    plan                  the objects and their sizes
    vocabulary, cpp       the names and the C++ of all sources
    sources               the sources: headers (engine.h.in), units, the entry
                          (runtime.cpp.in)
    target                the kind of the objects
    steps                 the files to make: a tool, its recipe and its output
    workshop              runs the tools, and stores what they made
    whole                 makes a whole corpus
"""
