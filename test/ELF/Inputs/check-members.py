"""Checks the members of an archive whose contents a plan has.

    check-members.py PLAN ARCHIVE UNLINKED,... LINKED,...

PLAN is the output of `headstart plan`; a member is named by a file with its bytes. The
plan must have at least half of a linked member after the first phase, and at most 5% of
an unlinked one, whose pages other members share."""

import sys

plan, archive, unlinked, linked = sys.argv[1:5]
with open(archive, "rb") as file:
    data = file.read()
ranges = []
with open(plan, encoding="utf-8") as file:
    for line in file:
        fields = line.split()
        if fields[-1] == archive and fields[0] != "0":
            begin = int(fields[1])
            ranges.append((begin, begin + int(fields[2].lstrip("+"))))


def planned(name):
    """The planned share of a member. If the archive has its bytes several times,
    the first copy counts."""
    with open(name, "rb") as file:
        member = file.read()
    at = data.find(member)
    if at < 0:
        sys.exit(f"{name} is not in {archive}")
    end = at + len(member)
    return sum(max(0, min(e, end) - max(b, at)) for b, e in ranges) \
        / len(member)


for name in linked.split(","):
    if planned(name) < 0.5:
        sys.exit(f"{name} is linked, and {planned(name):.2f} of it planned")
for name in unlinked.split(","):
    if planned(name) > 0.05:
        sys.exit(f"{name} is not linked, and {planned(name):.2f} of it planned")
