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
install() {
    apt-get install --yes --quiet=2 "$@" >/dev/null 2>&1 ||
        echo "not all of these can be installed: $*; tests that need them will skip"
}
if [ -n "$missing$latex" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update --quiet=2 >/dev/null 2>&1
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
