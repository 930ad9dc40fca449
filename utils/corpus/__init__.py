"""Makes the corpus of Headstart's benchmarks; see ../make-corpus.py.

    plan                      which objects there are, and how large
    vocabulary, cpp           the words and the C++ that all sources are of
    headers, engine.h.in      the precompiled headers
    units, runtime.cpp.in     the sources of the objects; budget: their sizes
    target                    of which kind the objects are
    compiler, archives        which tool makes what from which recipe
    workshop, ledger          runs the tools, and remembers what they made
    links, stamp, disk        what else the output folder has and needs
    whole                     all of it together

Below them: failure, files, package, progress, tools.
"""
