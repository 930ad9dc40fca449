// The options of `headstart` and its subcommands.
include "llvm/Option/OptParser.td"

def help : Flag<["--", "-"], "help">, HelpText<"Print this help and exit">;
def : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version and exit">;
def json : Flag<["--"], "json">,
    HelpText<"Print JSON instead of text (inputs, plan, profile, residency)">;
def flavour_EQ : Joined<["--"], "flavour=">, MetaVarName<"<coff|elf|macho>">,
    HelpText<"The linker's family, where its name does not tell (inputs, plan)">;
