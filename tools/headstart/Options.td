// The options of `headstart` and its subcommands.
include "llvm/Option/OptParser.td"

// What a subcommand takes besides --help; see Subcommands in headstart.cpp.
def JSONOption : OptionVisibility;
def LinkerOption : OptionVisibility;
def RunOption : OptionVisibility;

class TakesJSON { list<OptionVisibility> Visibility = [JSONOption]; }
class TakesLinker { list<OptionVisibility> Visibility = [LinkerOption]; }
class TakesRun { list<OptionVisibility> Visibility = [RunOption]; }

def help : Flag<["--", "-"], "help">, HelpText<"Print this help and exit">;
def : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version and exit">;
def json : Flag<["--"], "json">, TakesJSON,
    HelpText<"Print JSON instead of text">;
def flavour_EQ : Joined<["--"], "flavour=">, TakesLinker,
    MetaVarName<"<coff|elf|macho>">,
    HelpText<"The linker's family, where its name does not tell">;

// As in the drop-in linkers.
def prefetch_inputs : Flag<["--"], "prefetch-inputs">, TakesRun,
    HelpText<"Prefetch beside the linker (the default)">;
def no_prefetch_inputs : Flag<["--"], "no-prefetch-inputs">, TakesRun,
    HelpText<"Only run the linker">;
def prefetch_jobs_EQ : Joined<["--"], "prefetch-jobs=">, TakesRun,
    MetaVarName<"<N>">, HelpText<"Threads that fetch; 0: off">;
def prefetch_memory_EQ : Joined<["--"], "prefetch-memory=">, TakesRun,
    MetaVarName<"<SIZE>">,
    HelpText<"The most to fetch: 2G, 512M, or 50% of what is available">;
def prefetch_stats : Flag<["--"], "prefetch-stats">, TakesRun,
    HelpText<"Say what was done, on standard error, when the linker has ended">;
def prefetch_stats_EQ : Joined<["--"], "prefetch-stats=">, TakesRun,
    MetaVarName<"<FILE>">, HelpText<"Write that as JSON to a file">;
def prefetch_trace_EQ : Joined<["--"], "prefetch-trace=">, TakesRun,
    MetaVarName<"<FILE>">,
    HelpText<"Write a trace for Perfetto or chrome://tracing">;
