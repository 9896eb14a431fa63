#!/usr/bin/env bash
# bare.sh [--user] [--shell] COMMAND...: runs a command as on a machine with nothing but Node, npm, git and the base system
# of Debian (packages that are essential or required). All other programs are hidden in a mount namespace, and
# HOME is a new, empty folder. With --user root runs the command as the user nobody. With --shell Node, npm and git are hidden too.
set -euo pipefail

fail() { echo "bare.sh: $1" >&2; exit 2; }

as_user=no
if [ "${1:-}" = --user ]; then as_user=yes; shift; fi
only_shell=no
if [ "${1:-}" = --shell ]; then only_shell=yes; shift; fi
[ $# -gt 0 ] || fail "usage: scripts/bare.sh [--user] [--shell] COMMAND..."

if [ "${BARE_NAMESPACE:-}" = "" ]; then
  for program in unshare dpkg-query node npm git; do
    command -v "$program" >/dev/null || fail "$program is missing; this script needs Debian or Ubuntu with Node, npm and git"
  done
  export BARE_NAMESPACE="$(id -u):$(id -g)"
  flags=(--mount --propagation private)
  [ "$(id -u)" = 0 ] || flags+=(--user --map-root-user)
  unshare "${flags[@]}" true || fail "this machine allows no mount namespace"
  [ "$only_shell" = no ] || set -- --shell "$@"
  [ "$as_user" = no ] || set -- --user "$@"
  exec unshare "${flags[@]}" bash "$0" "$@"
fi

# The names of all programs that stay.
declare -A stays=()
[ "$only_shell" = yes ] || stays=([node]=1 [npm]=1 [npx]=1 [git]=1)
base=$(dpkg-query -W -f '${Package} ${Essential} ${Priority}\n' | awk '$2 == "yes" || $3 == "required" { print $1 }')
while read -r path; do
  case "$path" in */bin/* | */sbin/*) stays[${path##*/}]=1 ;; esac
done < <(dpkg-query -L $base)

folders=()
for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin \
  "$(dirname "$(command -v node)")" "$(dirname "$(command -v npm)")" "$(dirname "$(command -v git)")"; do
  folder=$(readlink -f "$folder")
  [[ " ${folders[*]} " = *" $folder "* ]] || folders+=("$folder")
done

# Each folder of programs is covered by a copy that holds only what stays.
work=$(mktemp -d)
stage=$work/stage home=$work/home
trap 'umount -l "$stage" && rm -rf "$work"' EXIT
chmod 711 "$work"
mkdir "$stage" "$home"
mount -t tmpfs -o mode=755 tmpfs "$stage"
for folder in "${folders[@]}"; do
  kept=()
  for path in "$folder"/*; do
    name=${path##*/}
    [ ! -L "$path" ] || target=$(readlink -f "$path" || :)
    if [ "${stays[$name]:-}" = 1 ]; then kept+=("$path")
    elif [ -L "$path" ] && [ "${stays[${target##*/}]:-}" = 1 ]; then kept+=("$path"); fi
  done
  mkdir -p "$stage$folder"
  [ "${#kept[@]}" = 0 ] || cp -a "${kept[@]}" "$stage$folder/"
done
for folder in "${folders[@]}"; do mount --bind "$stage$folder" "$folder"; done
hash -r

for name in $(compgen -e); do
  case "$name" in
    XDG_* | CONTINUO_* | CLAUDE* | ANTHROPIC_* | CODEX_* | OPENAI_* | GEMINI_* | GOOGLE_* | PI_* | OPENCODE_* | NODE_OPTIONS | NODE_PATH)
      unset "$name" ;;
  esac
done
IFS=: read -r uid gid <<<"$BARE_NAMESPACE"
unset BARE_NAMESPACE
export HOME="$home" PATH
PATH=$(IFS=:; echo "${folders[*]}")

if [ "$uid" != 0 ]; then
  unshare --user --map-user="$uid" --map-group="$gid" -- "$@"
elif [ "$as_user" = yes ]; then
  chown nobody "$home"
  export USER=nobody LOGNAME=nobody
  setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --bounding-set -all --inh-caps -all -- "$@"
else
  "$@"
fi
