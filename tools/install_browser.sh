#!/bin/sh
# What the browser tests need beside Python packages: Debian's Chromium, and axe-core for its rules of accessibility.
# Nothing here may fail the installation: tests that lack something skip and say what.
here=$(dirname "$0")/..
if ! command -v chromium >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get install --yes --quiet=2 chromium >/dev/null 2>&1 || echo "Chromium cannot be installed: browser tests will skip"
    else
        echo "no Chromium (apt-get install chromium): browser tests will skip"
    fi
fi
if command -v npm >/dev/null 2>&1; then
    npm install --prefix "$here/tests/browser" --no-package-lock --no-audit --no-fund --silent >/dev/null 2>&1 ||
        echo "axe-core cannot be installed: tests of accessibility will skip"
else
    echo "no npm: tests of accessibility will skip"
fi
exit 0
