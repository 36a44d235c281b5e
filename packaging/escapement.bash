# bash completion of escapement: commands, and the options that each command's help lists
_escapement() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$word"))
  elif [ "${COMP_WORDS[COMP_CWORD-1]}" = --scheme ]; then
    COMPREPLY=($(compgen -W "$("$program" schemes --json 2>/dev/null | sed -n 's/.*"id": "\(.*\)".*/\1/p')" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _escapement escapement
