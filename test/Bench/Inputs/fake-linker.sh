#!/bin/sh
# A linker of known behaviour, which accepts ld.lld's arguments and the drop-in
# linkers' environment. It concatenates its inputs, and takes FAKE_OFF seconds without
# prefetching and FAKE_ON seconds with it. As slow.lld it is stock lld, and takes
# FAKE_STOCK seconds.
#
# FAKE_MODE:
#   differ   with prefetch one byte more is written
#   random   no two outputs are the same
#   fail     it prints a message and fails, after the first link
#   notes    the number of each process is added to the file fake-links
set -eu
seconds=${FAKE_ON-0}
[ "${HEADSTART-}" != off ] || seconds=${FAKE_OFF-0}
case $0 in *slow.lld) seconds=${FAKE_STOCK-0} ;; esac
[ "${1-}" != --version ] || { echo "LLD ${FAKE_VERSION-}"; exit; }
out=
inputs=
while [ $# -ne 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    --*) ;;
    *) inputs="$inputs $1" ;;
  esac
  shift
done

# bench requests statistics only from the first link.
first=no
eval "set -- ${HEADSTART_FLAGS-}"
for flag; do
  case $flag in
    --prefetch-stats=*)
      first=yes
      echo '{"version":1}' >"${flag#*=}"
      ;;
  esac
done

case ${FAKE_MODE-} in
  notes) echo $$ >>fake-links ;;
  fail)
    if [ $first = no ]; then
      echo "fake: error: undefined symbol: everything"
      exit 3
    fi
    ;;
esac
sleep "$seconds"
cat $inputs >"$out"
case ${FAKE_MODE-} in
  differ) [ "${HEADSTART-}" = off ] || printf '!' >>"$out" ;;
  random) head -c 16 /dev/urandom >>"$out" ;;
esac
