#!/bin/sh
# What tests need beside Python packages: Debian's Chromium, WordNet and pdflatex, and axe-core for its rules of accessibility.
# Nothing here may fail the installation: tests that lack something skip and say what.
here=$(dirname "$0")/..
missing=""
command -v chromium >/dev/null 2>&1 || missing="chromium"
[ -d /usr/share/wordnet ] || missing="$missing wordnet-base"
# What it recommends is large, and no test needs it.
latex=""
command -v pdflatex >/dev/null 2>&1 || latex="texlive-latex-base texlive-latex-recommended"
# Somebody else may hold a lock for minutes: apt-get waits for that of dpkg, and is started again for its own ones.
apt() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        said=$(LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 --quiet=2 "$@" 2>&1) && return 0
        case $said in *"get lock"* | *"lock directory"*) sleep 30 ;; *) return 1 ;; esac
    done
    return 1
}
install() {
    apt install --yes "$@" || echo "not all of these can be installed: $*; tests that need them will skip"
}
if [ -n "$missing$latex" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt update
        # shellcheck disable=SC2086  one word per package
        [ -z "$missing" ] || install $missing
        # shellcheck disable=SC2086
        [ -z "$latex" ] || install --no-install-recommends $latex
    else
        echo "not installed: $missing $latex (apt-get install $missing $latex); tests that need them will skip"
    fi
fi
if command -v npm >/dev/null 2>&1; then
    npm install --prefix "$here/tests/browser" --no-package-lock --no-audit --no-fund --silent >/dev/null 2>&1 ||
        echo "axe-core cannot be installed: tests of accessibility will skip"
else
    echo "no npm: tests of accessibility will skip"
fi
exit 0
