#!/usr/bin/env bash
# Puts files, and all files in folders, out of the page cache. Needs no
# privileges: a page goes unless it is mapped or being written.
#
#     utils/cold-cache/linux.sh PATH...
#
# HEADSTART_PROGRAM names the program where it is not in build/bin or on PATH.
set -euo pipefail
if [ $# -eq 0 ]; then
  echo "usage: ${0##*/} PATH..." >&2
  exit 2
fi
for path in "$@"; do
  [ -e "$path" ] || { echo "${0##*/}: $path: no such file or folder" >&2; exit 1; }
done

headstart=${HEADSTART_PROGRAM:-$(dirname "${BASH_SOURCE[0]}")/../../build/bin/headstart}
[ -x "$headstart" ] || headstart=$(command -v headstart || true)
if [ -n "$headstart" ]; then
  exec "$headstart" evict "$@" >/dev/null
fi

# dd's iflag=nocache with nothing to copy is posix_fadvise(DONTNEED) for the whole
# file (its manual says so); dirty pages would stay.
sync
find -H "$@" -type f -size +0 -exec \
  sh -c 'for f do dd if="$f" iflag=nocache count=0 status=none; done' sh {} +
