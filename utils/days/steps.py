"""The changes to a project during a day. Each function returns what it did."""

import dataclasses
import os
import time

from days.objects import CORE, VARIANTS
from days.project import Object, Project

# How many objects one edit touches.
FEW = [1, 1, 1, 2, 5, 20]


def some(rng, things, most=None):
    things = list(things)
    return rng.sample(things, min(len(things), most or rng.choice(FEW)))


def changed(project: Project, path: str, **fields) -> None:
    project.objects[path] = dataclasses.replace(project.objects[path], **fields)


def change_source(project: Project, rng):
    paths = some(rng, project.objects)
    for path in paths:
        old = project.objects[path]
        if rng.random() < 0.5:
            changed(project, path, version=old.version + 1, stripped=False)
        else:
            changed(project, path, variant=(old.variant + 1) % VARIANTS, stripped=False)
    for path in project.bitcode:
        if rng.random() < 0.3:
            project.bitcode[path] = (project.bitcode[path] + 1) % VARIANTS
    for k in project.shared:
        if project.flavour == "elf" and rng.random() < 0.1:
            project.shared[k] = (project.shared[k] + 1) % VARIANTS
    return f"{len(paths)} sources", ()


def change_header(project: Project, rng):
    group = rng.randrange(3)
    paths = [p for p, o in project.objects.items() if o.number % 3 == group]
    for path in paths:
        changed(project, path, header=1 - project.objects[path].header, stripped=False)
    return f"{len(paths)} objects include it", ()


def rebuild_all(project: Project, rng):
    """Writes all files again, with the same bytes."""
    return "", set(project.files())


def add_inputs(project: Project, rng):
    count = rng.choice(FEW)
    for _ in range(count):
        path = project.path(project.next_number)
        project.objects[path] = Object(project.next_number)
        project.next_number += 1
        if rng.random() < 0.3:
            rng.choice(project.archives).members.append(path)
        else:
            project.plain.insert(rng.randint(CORE, len(project.plain)), path)
    return f"{count} objects", ()


def remove_inputs(project: Project, rng):
    if rng.random() < 0.12:
        # The object stays on the command line, or others still call it.
        path = rng.choice(project.plain)
        if rng.random() < 0.7:
            project.missing.append(path)
        forget(project, path)
        return f"{path}, which the link needs", ()
    called = project.called()
    paths = some(rng, [p for p in project.plain if p not in called])
    for path in paths:
        forget(project, path)
    if len(project.archives) > 1 and rng.random() < 0.2:
        called = project.called()
        spare = [a for a in project.archives if not called & set(a.members)]
        for archive in spare[:1]:
            project.archives.remove(archive)
            for member in archive.members:
                del project.objects[member]
            paths.append(archive.path)
    return f"{len(paths)} inputs", ()


def forget(project: Project, path: str) -> None:
    del project.objects[path]
    for names in (project.plain, project.lazy, project.in_script):
        if path in names:
            names.remove(path)


def rename_inputs(project: Project, rng):
    paths = some(rng, project.plain)
    for path in paths:
        new = f"obj/r{project.next_number % 7}/{project.next_number}.{project.suffix}"
        project.next_number += 1
        project.objects[new] = project.objects.pop(path)
        for names in (project.plain, project.lazy, project.in_script):
            if path in names:
                names[names.index(path)] = new
    return f"{len(paths)} objects", ()


def reorder_inputs(project: Project, rng):
    at = rng.randrange(len(project.plain))
    end = at + 1 + int(len(project.plain) ** rng.random())
    part = project.plain[at:end]
    rng.shuffle(part)
    project.plain[at:end] = part
    rng.shuffle(project.archives)
    return f"{len(part)} objects, and the archives", ()


def touch(project: Project, rng):
    paths = some(rng, project.inputs(), rng.choice([1, 5, 100, 10000]))
    when = time.time() - rng.choice([0, 0, 3600, -3600, 1e8])
    for path in paths:
        if os.path.exists(path):
            os.utime(path, (when, when))
    return f"{len(paths)} inputs", ()


def strip(project: Project, rng):
    paths = [p for p in some(rng, project.objects) if not project.objects[p].stripped]
    for path in paths:
        changed(project, path, stripped=True)
    return f"{len(paths)} objects", ()


def change_options(project: Project, rng):
    project.draw_options(rng)
    return " ".join(project.options) or "none", ()


def other_branch(project: Project, rng) -> str:
    """Changes some files of many kinds, as `git switch` does."""
    told = []
    for path in some(rng, project.objects, len(project.objects) // 8 + 1):
        changed(project, path, version=50, stripped=False)
    for change in rng.sample([change_source, change_source, change_header,
                              add_inputs, reorder_inputs, rename_inputs], 2):
        told.append(change(project, rng)[0])
    return ", ".join(told)


# The changes, each with its odds. A step with a change links after it.
CHANGES = {"change a source": (change_source, 22), "change a header": (change_header, 5),
           "rebuild all": (rebuild_all, 3), "add inputs": (add_inputs, 5),
           "remove inputs": (remove_inputs, 6), "rename inputs": (rename_inputs, 4),
           "reorder inputs": (reorder_inputs, 4), "touch": (touch, 5),
           "strip": (strip, 4), "change options": (change_options, 3)}
