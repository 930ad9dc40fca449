# bash: headstart. Requires bash-completion, which loads this file by the name of the
# command. The program itself lists the completions: tools/headstart/Options.h.

_headstart()
{
    local cur prev words cword
    _get_comp_words_by_ref -n =: cur prev words cword || return
    local program=headstart
    [[ ${words[0]} != */headstart ]] || program=${words[0]/#\~\//$HOME/}

    local what text help
    local -a matches=()
    local has_files=
    while IFS=$'\t' read -r what text help; do
        case $what in
            word)
                [[ $text != *[\(\)\?\#]* ]] || printf -v text %q "$text"
                matches+=("$text ")
                ;;
            open)
                matches+=("$text")
                compopt -o nospace
                ;;
            programs)
                mapfile -t COMPREPLY < <(compgen -c -- "${cur#"$text"}")
                matches+=("${COMPREPLY[@]/#/$text}")
                has_files=1
                ;;
            files)
                local typed=$cur
                COMPREPLY=()
                cur=${typed#"$text"}
                _filedir
                cur=$typed
                matches+=("${COMPREPLY[@]/#/$text}")
                has_files=1
                [[ ! ${text%%*[=:]} ]] || compopt -o nospace
                ;;
            command)
                # COMP_WORDS splits an argument at each = and :.
                local i=0 before=
                printf -v text %s "${words[@]:0:text}"
                while [[ ${#before} -lt ${#text} ]]; do
                    before+=${COMP_WORDS[i++]}
                done
                _command_offset "$i"
                return
                ;;
        esac
    done < <("$program" --autocomplete "${words[@]:0:cword}" "$cur" 2>/dev/null)

    if [[ $has_files ]]; then
        matches=("${matches[@]% }")
    else
        compopt -o nospace
    fi
    # readline replaces what follows the last = or :, if these separate words.
    local parts=
    [[ $COMP_WORDBREAKS != *=* ]] || parts+==
    [[ $COMP_WORDBREAKS != *:* ]] || parts+=:
    [[ ! $parts ]] || matches=("${matches[@]#"${cur%"${cur##*[$parts]}"}"}")
    COMPREPLY=("${matches[@]}")
} &&
    complete -F _headstart headstart
