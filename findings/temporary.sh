# Sourced by the scripts beside it: a temporary folder, packages in it, and the comparison of what they print.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Installs packages of PyPI into an environment of their own: pypi chess==1.11.2 …
pypi() {
  python3 -m venv environment
  environment/bin/pip install --quiet --disable-pip-version-check --no-compile "$@" 2> pip.log || { cat pip.log; exit 2; }
}

# Installs packages of npm: npm_packages chess.js@1.4.0 …
npm_packages() {
  npm install --silent --no-audit --no-fund --prefix . "$@" > npm.log 2>&1 || { cat npm.log; exit 2; }
}

# Runs a program from standard input, and keeps and shows what it prints.
by_python() {
  environment/bin/python -W ignore - > printed && cat printed >> seen && cat printed
}

by_node() {
  cat > program.mjs
  node program.mjs > printed && cat printed >> seen && cat printed
}

# Ends with 1 if the programs printed anything else than standard input.
expect() {
  cat > expected
  diff expected seen > difference || { echo "Changed (< as found, > now):"; cat difference; exit 1; }
  echo "As found."
}
