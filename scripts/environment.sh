# Sourced by the scripts beside it: finds interpreters, and makes environments under .venvs/.
# shellcheck shell=bash

set -euo pipefail
shopt -s inherit_errexit 2>/dev/null || true # bash before 4.4 lacks it; hence the || die below

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

supported="3.11 3.12 3.13 3.14"

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_REQUIRE_VIRTUALENV= PYTHONNOUSERSITE=1
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV

say() { printf '== %s\n' "$*" >&2; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

# version_of PYTHON: its version as 3.11, if it can make an environment; fails otherwise. A pyenv shim may exist
# and not run, and some systems ship Python without venv.
version_of() {
    "$1" -c 'import ensurepip, sqlite3, sys, venv; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

# python_for VERSION: the path of an interpreter of that version; fails where there is none.
python_for() {
    local candidate
    for candidate in "python$1" python3 python "${PYENV_ROOT:-${HOME:-}/.pyenv}/versions/$1".*/bin/python; do
        if [ "$(version_of "$candidate")" = "$1" ]; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# base_python: $PYTHON, or else the oldest supported interpreter of this machine.
base_python() {
    local version
    if [ -n "${PYTHON:-}" ]; then
        version=$(version_of "$PYTHON") || die "PYTHON=$PYTHON cannot make an environment (needs venv, pip, sqlite3)"
        case " $supported " in *" $version "*) ;; *) die "PYTHON is $version; supported are $supported" ;; esac
        command -v "$PYTHON"
        return
    fi
    for version in $supported; do
        python_for "$version" && return
    done
    die "no Python of $supported found; set PYTHON to one"
}

# environment NAME PYTHON: makes or reuses .venvs/NAME-VERSION from requirements-NAME.txt with this project in it,
# editable, and prints its path. Remade when the requirements, the interpreter or the project's metadata change.
environment() {
    local name=$1 python=$2 place stamp lock
    place=$root/.venvs/$name-$(version_of "$python")
    stamp=$({ cat "requirements-$name.txt" pyproject.toml; "$python" -VV; echo "$python $root"; } | checksum "$python")
    mkdir -p .venvs
    if command -v flock >/dev/null; then
        exec {lock}>"$place.lock"
        flock "$lock"
    fi
    if [ "$(cat "$place/stamp" 2>/dev/null)" != "$stamp" ]; then
        say "making ${place#"$root"/}" 
        rm -rf "$place"
        {
            "$python" -m venv "$place" &&
                "$place/bin/python" -m pip install --quiet --require-hashes -r "requirements-$name.txt" &&
                "$place/bin/python" -m pip install --quiet --no-deps --no-build-isolation --editable . &&
                "$place/bin/python" -m pip check
        } >&2 || die "the environment ${place#"$root"/} could not be made"
        printf '%s\n' "$stamp" >"$place/stamp"
    fi
    if [ -n "${lock:-}" ]; then
        exec {lock}>&-
    fi
    printf '%s\n' "$place"
}

checksum() { "$1" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'; }

# without_settings: drops TENURE_* of the caller's shell, so that nothing here reaches another database.
without_settings() {
    local name
    for name in ${!TENURE_*}; do
        case $name in TENURE_TEST_* | TENURE_SEQUENCES) ;; *) unset "$name" ;; esac
    done
}
