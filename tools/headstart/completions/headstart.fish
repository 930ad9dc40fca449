# fish: headstart. The program itself lists the completions:
# tools/headstart/Options.h.

function __headstart_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program headstart
    string match -q '*/headstart' -- $words[1]; and set program $words[1]
    for line in ($program --autocomplete $words "$typed" 2>/dev/null)
        set -l fields (string split \t -- $line)
        switch $fields[1]
            case word open
                string join \t -- $fields[2..]
            case files programs
                set -l rest (string sub -s (math 1 + (string length -- "$fields[2]")) -- "$typed")
                set -l found
                if test $fields[1] = files
                    set found (__fish_complete_path "$rest")
                else
                    set found (complete -C "$rest")
                end
                string replace -r '^' -- "$fields[2]" $found
            case command
                set -l rest $words[(math $fields[2] + 1)..]
                complete -C (string join ' ' -- (string escape -- $rest) "$typed")
        end
    end
end

complete -c headstart -f -a '(__headstart_complete)'
