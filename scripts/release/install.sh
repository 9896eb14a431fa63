#!/bin/sh
# Installs Continuo for you: one file in ~/.local/bin, or in the folder that CONTINUO_BIN names. No root, no Node.
#
#   sh install.sh               install, or replace an older version
#   sh install.sh --uninstall   remove it; your sessions and settings in ~/.continuo stay
#
# CONTINUO_RELEASE is the address, or the folder, of the files of a release.
set -eu

version='@VERSION@'
release=${CONTINUO_RELEASE:-'@RELEASE@'}
bin=${CONTINUO_BIN:-$HOME/.local/bin}
program=$bin/continuo

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

uninstall() {
  [ -e "$program" ] || fail "there is no $program"
  "$program" setup --undo --yes >/dev/null 2>&1 || echo "Not every agent's settings could be put back: see continuo setup --undo." >&2
  rm -f "$program"
  rm -rf "${CONTINUO_HOME:-$HOME/.continuo}/app" "${CONTINUO_HOME:-$HOME/.continuo}/cache"
  echo "Continuo is removed. Your sessions and settings stay in ${CONTINUO_HOME:-$HOME/.continuo}."
}

platform() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo linux-x64 ;;
    *) fail "there is no file for $(uname -s) on $(uname -m): run \`npm install --global continuo\` with Node 24" ;;
  esac
}

fetch_with_node='
  const [, address, file] = process.argv;
  const fail = (error) => { console.error(error.message); process.exit(1); };
  fetch(address).then(async (answer) => {
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    require("node:fs").writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  }).catch(fail);'

# fetch FILE TO
fetch() {
  case "$release" in
    http://* | https://*)
      if command -v curl >/dev/null; then curl --fail --silent --show-error --location --output "$2" "$release/$1"
      elif command -v wget >/dev/null; then wget --quiet --output-document="$2" "$release/$1"
      elif command -v node >/dev/null; then node -e "$fetch_with_node" "$release/$1" "$2"
      else fail "curl, wget or Node is needed"
      fi ;;
    '') fail "CONTINUO_RELEASE must be the address of a release" ;;
    *) cp "$release/$1" "$2" ;;
  esac || fail "cannot get $1 from $release"
}

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  else fail "sha256sum or shasum is needed"
  fi | cut -d ' ' -f 1
}

install() {
  file=continuo-$version-$(platform).gz
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  fetch SHA256SUMS "$work/SHA256SUMS"
  wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/SHA256SUMS")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $file"
  fetch "$file" "$work/$file"
  [ "$(checksum "$work/$file")" = "$wanted" ] || fail "$file is not the file that SHA256SUMS names: nothing was installed"
  mkdir -p "$bin"
  # The new file has its name only when it is whole; a program that runs keeps the old one.
  gzip -dc "$work/$file" >"$program.new" || fail "cannot write $program"
  chmod 755 "$program.new"
  "$program.new" --version >/dev/null || { rm -f "$program.new"; fail "the program does not start on this machine"; }
  mv "$program.new" "$program"
  echo "Continuo $version is installed: $program"
  case ":$PATH:" in
    *":$bin:"*) echo "Try: continuo list" ;;
    *) echo "$bin is not in your PATH. Try: $program list" ;;
  esac
}

case "${1:-}" in
  '') install ;;
  --uninstall) uninstall ;;
  *) fail "usage: sh install.sh [--uninstall]" ;;
esac
