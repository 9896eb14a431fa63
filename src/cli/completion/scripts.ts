/**
 * The scripts. Each asks `continuo complete-words -- WORDS`, whose lines are `VALUE TAB NOTE`, or the one line
 * `:files` or `:folders`, which leaves the word to the shell.
 */

import type { ShellName } from "./shells.ts";

/** COMP_TYPE 33, 63 and 64 list candidates; all others insert one, and notes must never be inserted. */
const BASH = `_continuo() {
  local line value note tab=$'\\t'
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}") lines=()
  COMPREPLY=()
  compopt -o nosort 2>/dev/null
  while IFS= read -r line; do lines+=("$line"); done < <(continuo complete-words -- "\${words[@]}" 2>/dev/null)
  if [[ \${lines[0]-} == :files ]]; then compopt -o default; return; fi
  if [[ \${lines[0]-} == :folders ]]; then compopt -o dirnames; return; fi
  for line in "\${lines[@]}"; do
    value=\${line%%"$tab"*}
    note=\${line#*"$tab"}
    if [[ \${#lines[@]} -gt 1 && $note != "$line" && -n $note && $COMP_TYPE =~ ^(33|63|64)$ ]]; then
      COMPREPLY+=("$value  ($note)")
    else
      COMPREPLY+=("$value")
    fi
  done
}
complete -F _continuo continuo
`;

const ZSH = `#compdef continuo
_continuo() {
  local line value note
  local -a lines shown
  lines=("\${(@f)$(continuo complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then _files; return; fi
  if [[ $lines[1] == :folders ]]; then _files -/; return; fi
  for line in $lines; do
    value=\${line%%$'\\t'*}
    note=\${line#*$'\\t'}
    [[ -n $value ]] && shown+=("\${value//:/\\\\:}:$note")
  done
  _describe -V 'continuo' shown
}
if [[ $funcstack[1] == _continuo ]]; then _continuo "$@"; else compdef _continuo continuo; fi
`;

const FISH = `function __continuo_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (continuo complete-words -- $words[2..-1] 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path (commandline -ct)
    else if test "$lines[1]" = :folders
        __fish_complete_directories (commandline -ct)
    else
        string join -- \\n $lines
    end
end
complete -c continuo -f -k -a '(__continuo_complete)'
`;

const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export function scriptFor(shell: ShellName): string {
  return SCRIPTS[shell];
}
