# What zsh itself would offer: zsh -f complete-in-zsh.zsh <folder of _liminal> <words typed so far>
# An interactive zsh on a pseudo-terminal gets the words and a Tab; what is added to its list is printed instead.
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
local line
() {
  zpty -w shell "source $1"
  repeat 20 {
    zpty -r shell line || exit 2
    [[ $line == *ready-to-complete* ]] && return
  }
  exit 2
} =( <<< "
PROMPT=
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -D -u
bindkey '^M' undefined-key
bindkey '^J' undefined-key
bindkey '^I' complete-word
mark () { print -r -- MARK }
compprefuncs=( mark )
comppostfuncs=( mark exit )
zstyle ':completion:*' list-grouped false
zstyle ':completion:*' insert-tab false
zstyle ':completion:*' list-separator ''
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd \"\$@\"
    return \$?
  fi
  typeset -a offered
  builtin compadd -A offered \"\$@\"
  local one
  for one in \$offered; do print -r -- \"OFFER \$one\"; done
}
print ready-to-complete
")
zpty -w -n shell "$2"$'\t'
integer marks=0
while zpty -r shell line; do
  for one in ${(f)line}; do
    one=${one%$'\r'}
    [[ $one == *MARK ]] && (( ++marks == 2 )) && exit 0
    [[ $one == *"OFFER "* ]] && print -r -- ${one##*OFFER }
  done
done
