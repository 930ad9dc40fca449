"""Makes the corpus of Headstart's benchmarks; see ../make-corpus.py.

    plan                      the objects and their sizes
    vocabulary, cpp           the names and the C++ of all sources
    headers, engine.h.in      the precompiled headers
    units, runtime.cpp.in     the sources of the objects; budget: their sizes
    target                    the kind of the objects
    compiler, archives        the steps: a tool, its recipe and its output
    workshop, ledger          run the tools, and store what they made
    links, stamp, disk        the other files of the output directory, and its space
    whole                     makes a whole corpus

All of them use failure, files, package, progress and tools.
"""
