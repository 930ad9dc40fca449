#!/bin/sh
# Installs Headstart for a job of GitHub Actions, and makes its later steps link with it.
# action.yml runs this; docs/Guide.md describes the result.
#
#   install.sh [PACKAGE [LINKER]]
#
# PACKAGE: a version of PyPI's headstart-linker, or the path of a wheel, of a .deb, or
#          of a directory in which Headstart is installed; empty: PyPI's newest version
# LINKER:  the linker that Headstart replaces: default (the compilers' default linker),
#          lld (the linkers of lld), or none
#
# The script installs to $RUNNER_TEMP/headstart, does not change the system, and needs no
# privileges. $GITHUB_ENV, $GITHUB_PATH and $GITHUB_OUTPUT pass the result to later steps.
set -eu

die() {
  printf '::error::Headstart: %s\n' "$*"
  exit 1
}

package=${1-}
linker=${2:-default}
case $linker in
  default | lld | none) ;;
  *) die "linker: expected default, lld or none, but got '$linker'" ;;
esac
for name in RUNNER_TEMP GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT HOME; do
  eval "[ -n \"\${$name-}\" ]" || die "$name is not set: this is for GitHub Actions"
done
directory=$RUNNER_TEMP/headstart
mkdir -p "$directory/links"

from_pip() { # pip's requirement
  python3 -m pip --version >/dev/null 2>&1 ||
    die "python3 and its pip are needed to install '$1'"
  # Not into the user's or the system's packages: those are the job's.
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --upgrade \
    --target "$directory/package" "$1" || die "pip cannot install '$1'"
  prefix=$(PYTHONPATH=$directory/package python3 -c \
    'import headstart_linker; print(headstart_linker.prefix)') ||
    die "'$1' is not Headstart's wheel"
}

if [ -d "$package" ]; then
  prefix=$(cd "$package" && pwd)
elif [ -e "$package" ]; then
  case $package in
    *.whl) from_pip "$package" ;;
    *.deb)
      dpkg-deb --extract "$package" "$directory/package" ||
        die "dpkg-deb cannot unpack '$package'"
      prefix=$directory/package/usr
      ;;
    *) die "package: '$package' is no wheel, .deb or directory" ;;
  esac
else
  case $package in
    */* | *.whl | *.deb) die "package: nothing at '$package'" ;;
    *) from_pip "headstart-linker${package:+==$package}" ;;
  esac
fi
"$prefix/bin/headstart" --version ||
  die "package: $prefix/bin/headstart does not run here"

# gcc and clang search COMPILER_PATH first, and build systems search PATH.
case $linker in
  default) linkers=$prefix/libexec/headstart ;;
  lld)
    linkers=$directory/lld
    mkdir -p "$linkers"
    for program in "$prefix"/libexec/headstart/*; do
      [ "${program##*/}" = ld ] || ln -sf "$program" "$linkers/"
    done
    ;;
  none) linkers= ;;
esac
echo "$prefix/bin" >>"$GITHUB_PATH"
if [ -n "$linkers" ]; then
  echo "$linkers" >>"$GITHUB_PATH"
  echo "COMPILER_PATH=$linkers${COMPILER_PATH:+:$COMPILER_PATH}" >>"$GITHUB_ENV"
fi
{
  echo "HEADSTART_FLAGS=${HEADSTART_FLAGS:+$HEADSTART_FLAGS }\
'--prefetch-profile=$HOME/.cache/headstart/' '--prefetch-stats=$directory/links/'"
  echo "HEADSTART_REPORTS=$directory/links"
} >>"$GITHUB_ENV"
echo "prefix=$prefix" >>"$GITHUB_OUTPUT"
