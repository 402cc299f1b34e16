# bash completions for airlink-sample 0.1.0; made by airlink-sample --completions bash
_airlink_sample() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= word i
  COMPREPLY=()
  # bash cuts --option=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = && $COMP_CWORD -gt 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      --name|-l|--listen|-p|--peer|--discovery|--gain|--home|--passphrase-file|--completions)
        [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))
        ((i++)) ;;
      -*|=) ;;
      *) command=$word; break ;;
    esac
  done
  case $command:$previous in
    *:--name) :; return ;;
    *:-l|*:--listen) :; return ;;
    *:-p|*:--peer) :; return ;;
    *:--discovery) mapfile -t COMPREPLY < <(compgen -W 'auto daemon embedded off' -- "$current"); return ;;
    *:--gain) :; return ;;
    *:--home) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    *:--passphrase-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *:--completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$current"); return ;;
  esac
  local words='--name -l --listen -p --peer --discovery --gain -v --verbose -q --quiet --json --home --passphrase-file --keyring -h --help --version --completions'
  case $command in
    *) if [[ $current == -* ]]; then words+=''; else words=; :; fi ;;

  esac
  if [[ $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}
complete -F _airlink_sample airlink-sample
