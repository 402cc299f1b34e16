# fish completions for airlink-samples 0.1.0; made by airlink-samples --completions fish
complete -c airlink-samples -f
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a create -d 'Makes an identity'
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a show -d 'Shows it'
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a accept -d 'Accepts keys'
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a import -d 'Reads a card'
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a copy -d 'Copies files'
complete -c airlink-samples -n 'not __fish_seen_subcommand_from create show accept import copy cancel' -a cancel -d 'Removes echo'
complete -c airlink-samples -l home -x -a '(__fish_complete_directories)' -d 'Where identity and contacts live'
complete -c airlink-samples -l passphrase-file -r -F -d 'Where the passphrase is'
complete -c airlink-samples -l keyring -d 'Ask the desktop\'s keyring'
complete -c airlink-samples -s h -l help -d 'Show this help and leave'
complete -c airlink-samples -l version -d 'Show the versions of the program and its libraries and leave'
complete -c airlink-samples -l completions -x -a 'bash zsh fish' -d 'Print completions for a shell and leave'
complete -c airlink-samples -n '__fish_seen_subcommand_from create' -l name -x -d 'What others see'
complete -c airlink-samples -n '__fish_seen_subcommand_from show' -l json -d 'Print one JSON object a line'
complete -c airlink-samples -n '__fish_seen_subcommand_from import' -F
complete -c airlink-samples -n '__fish_seen_subcommand_from copy' -F
complete -c airlink-samples -n '__fish_seen_subcommand_from cancel' -l far -r -F -d 'The far end'
