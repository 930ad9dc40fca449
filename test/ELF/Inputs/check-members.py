"""Checks which members of an archive a plan has the contents of.

    check-members.py PLAN ARCHIVE UNLINKED,... LINKED,...

PLAN is the output of `headstart plan`; members are named by files whose bytes
they are. Of a linked member more than half must be planned behind the first
phase, of an unlinked one nothing but pages that it shares with others."""

import sys

plan, archive, unlinked, linked = sys.argv[1:5]
with open(archive, "rb") as file:
    data = file.read()
ranges = []
with open(plan, encoding="utf-8") as file:
    for line in file:
        words = line.split()
        if words[-1] == archive and words[0] != "0":
            begin = int(words[1])
            ranges.append((begin, begin + int(words[2].lstrip("+"))))


def planned(name):
    """The share of a member that is planned. Its bytes may stand in the
    archive several times: the least of them counts for the linked."""
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
