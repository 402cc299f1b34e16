# bash completions for airlink-samples 0.1.0; made by airlink-samples --completions bash
_airlink_samples() {
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
      --home|--passphrase-file|--completions|--name|--far)
        [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))
        ((i++)) ;;
      -*|=) ;;
      *) command=$word; break ;;
    esac
  done
  case $command:$previous in
    create:--name) :; return ;;
    cancel:--far) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *:--home) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    *:--passphrase-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *:--completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$current"); return ;;
  esac
  local words='--home --passphrase-file --keyring -h --help --version --completions'
  case $command in
    '') if [[ $current == -* ]]; then words+=''; else words=; mapfile -t COMPREPLY < <(compgen -W 'create show accept import copy cancel' -- "$current"); fi ;;
    create) if [[ $current == -* ]]; then words+=' --name'; else words=; :; fi ;;
    show) if [[ $current == -* ]]; then words+=' --json'; else words=; :; fi ;;
    accept) if [[ $current == -* ]]; then words+=''; else words=; :; fi ;;
    import) if [[ $current == -* ]]; then words+=''; else words=; compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi ;;
    copy) if [[ $current == -* ]]; then words+=''; else words=; compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi ;;
    cancel) if [[ $current == -* ]]; then words+=' --far'; else words=; :; fi ;;
    *) words= ;;
  esac
  if [[ $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}
complete -F _airlink_samples airlink-samples
