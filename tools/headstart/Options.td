// The options of `headstart` and its subcommands.
include "llvm/Option/OptParser.td"

// What a subcommand takes besides --help; see Subcommands in headstart.cpp.
def JSONOption : OptionVisibility;
def LinkerOption : OptionVisibility;
def RunOption : OptionVisibility;
def PlanOption : OptionVisibility;
def WalkOption : OptionVisibility;
def StatusOption : OptionVisibility;
def WarmOption : OptionVisibility;
def BenchOption : OptionVisibility;
def CacheOption : OptionVisibility;

class TakesJSON { list<OptionVisibility> Visibility = [JSONOption]; }
class TakesLinker { list<OptionVisibility> Visibility = [LinkerOption]; }
class TakesWalk { list<OptionVisibility> Visibility = [WalkOption]; }
class TakesStatus { list<OptionVisibility> Visibility = [StatusOption]; }
class TakesWarm { list<OptionVisibility> Visibility = [WarmOption]; }
class TakesList { list<OptionVisibility> Visibility = [WalkOption, StatusOption]; }
class TakesSummary { list<OptionVisibility> Visibility = [StatusOption, CacheOption]; }
class TakesTree { list<OptionVisibility> Visibility = [WalkOption, WarmOption]; }
class TakesJobs {
  list<OptionVisibility> Visibility = [WalkOption, StatusOption, WarmOption];
}
class TakesBench { list<OptionVisibility> Visibility = [BenchOption]; }
class TakesMemory {
  list<OptionVisibility> Visibility = [WarmOption, BenchOption];
}
class TakesRun { list<OptionVisibility> Visibility = [RunOption]; }

def help : Flag<["--", "-"], "help">, HelpText<"Print this help and exit">;
def : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version and exit">;
def json : Flag<["--"], "json">, TakesJSON,
    HelpText<"Print JSON instead of text">;
def flavour_EQ : Joined<["--"], "flavour=">, TakesLinker,
    MetaVarName<"<coff|elf|macho>">, Values<"coff,elf,macho">,
    HelpText<"The kind of linker, where its name does not tell">;
def flavour : Separate<["--"], "flavour">, TakesLinker, Alias<flavour_EQ>;

def prefetch_profile_EQ : Joined<["--"], "prefetch-profile=">,
    Visibility<[PlanOption]>, MetaVarName<"<FILE>">,
    HelpText<"Plan by the record of an earlier link; no input is read">;
def prefetch_profile : Separate<["--"], "prefetch-profile">, Visibility<[PlanOption]>, Alias<prefetch_profile_EQ>;

// As in the drop-in linkers.
def prefetch_inputs : Flag<["--"], "prefetch-inputs">, TakesRun,
    HelpText<"Prefetch beside the linker (the default)">;
def no_prefetch_inputs : Flag<["--"], "no-prefetch-inputs">, TakesRun,
    HelpText<"Only run the linker">;
def prefetch_jobs_EQ : Joined<["--"], "prefetch-jobs=">, TakesRun,
    MetaVarName<"<N>">, HelpText<"Threads that fetch; 0: off">;
def prefetch_jobs : Separate<["--"], "prefetch-jobs">, TakesRun, Alias<prefetch_jobs_EQ>;
def prefetch_memory_EQ : Joined<["--"], "prefetch-memory=">, TakesRun,
    MetaVarName<"<SIZE>">,
    HelpText<"The most to fetch: 2G, 512M, or 50% of what is available">;
def prefetch_memory : Separate<["--"], "prefetch-memory">, TakesRun, Alias<prefetch_memory_EQ>;
def prefetch_stats : Flag<["--"], "prefetch-stats">, TakesRun,
    HelpText<"Say what was done, on standard error, when the linker has ended">;
def prefetch_stats_EQ : Joined<["--"], "prefetch-stats=">, TakesRun,
    MetaVarName<"<FILE>">, HelpText<"Write that as JSON to a file">;
def prefetch_trace_EQ : Joined<["--"], "prefetch-trace=">, TakesRun,
    MetaVarName<"<FILE>">,
    HelpText<"Write a trace for Perfetto or chrome://tracing">;
def prefetch_trace : Separate<["--"], "prefetch-trace">, TakesRun, Alias<prefetch_trace_EQ>;

// Which entries of a tree.
def hidden : Flag<["--"], "hidden">, TakesTree,
    HelpText<"Also names that begin with a dot">;
def no_ignore : Flag<["--"], "no-ignore">, TakesTree,
    HelpText<"Also what .gitignore, .ignore and git's own excludes hide: often "
             "*.o and whole build folders">;
def glob_EQ : Joined<["--"], "glob=">, TakesTree, MetaVarName<"<GLOB>">,
    HelpText<"Only what matches, or with !GLOB all but that; again for more. "
             "With a / in it the whole path from PATH, where ** is any folders">;
def glob : Separate<["--"], "glob">, TakesTree, Alias<glob_EQ>;
def max_depth_EQ : Joined<["--"], "max-depth=">, TakesTree, MetaVarName<"<N>">,
    HelpText<"Go down at most so many levels: 1 is what is in PATH itself">;
def max_depth : Separate<["--"], "max-depth">, TakesTree, Alias<max_depth_EQ>;
def follow : Flag<["--"], "follow">, TakesTree,
    HelpText<"Follow symbolic links">;
def one_file_system : Flag<["--"], "one-file-system">, TakesTree,
    HelpText<"Stay on the file system of PATH">;
def jobs_EQ : Joined<["--"], "jobs=">, TakesJobs, MetaVarName<"<N>">,
    HelpText<"Threads; without it as many as the disk can use">,
    HelpTextForVariants<[WarmOption], "Threads that fetch, and that walk; 8 without it">;
def jobs : Separate<["--"], "jobs">, TakesJobs, Alias<jobs_EQ>;

// How they are listed.
def null : Flag<["-"], "0">, TakesList,
    HelpText<"End each line with a zero byte, not a newline">;
def sort : Flag<["--"], "sort">, TakesWalk,
    HelpText<"In the order of the names, a folder directly before what is in "
             "it; the same at any number of threads">;
def stat : Flag<["--"], "stat">, TakesWalk,
    HelpText<"Also size in bytes and modification time, tabs between">;
def type_EQ : Joined<["--"], "type=">, TakesWalk, MetaVarName<"<f|d|l>">,
    Values<"f,d,l">,
    HelpText<"Only files, folders or links; several letters for several">;
def type : Separate<["--"], "type">, TakesWalk, Alias<type_EQ>;
def manifest_EQ : Joined<["--"], "manifest=">, TakesWalk,
    MetaVarName<"<FILE>">,
    HelpText<"Write a manifest to a file instead of a list; -: to standard "
             "output">;
def manifest : Separate<["--"], "manifest">, TakesWalk, Alias<manifest_EQ>;

def since_EQ : Joined<["--"], "since=">, TakesStatus,
    MetaVarName<"<MANIFEST>">,
    HelpText<"What to compare with: written by headstart walk --manifest">;
def since : Separate<["--"], "since">, TakesStatus, Alias<since_EQ>;
def summary : Flag<["--"], "summary">, TakesSummary,
    HelpText<"Also how many changes, on standard error (the default on a "
             "terminal)">,
    HelpTextForVariants<[CacheOption], "Only the totals">;
def exit_code : Flag<["--"], "exit-code">, TakesStatus,
    HelpText<"Exit with 3 when something has changed, and all could be read">;

def changed_since_EQ : Joined<["--"], "changed-since=">, TakesWarm,
    MetaVarName<"<FILE>">,
    HelpText<"Only what has changed since a manifest; with any other file, what "
             "is newer than it">;
def changed_since : Separate<["--"], "changed-since">, TakesWarm, Alias<changed_since_EQ>;
def memory_EQ : Joined<["--"], "memory=">, TakesMemory, MetaVarName<"<SIZE>">,
    HelpText<"The most to fetch: 2G, 512M, or 50% of what is available (the "
             "default)">,
    HelpTextForVariants<[BenchOption], "Limit the links' memory, page cache included">;
def memory : Separate<["--"], "memory">, TakesMemory, Alias<memory_EQ>;

// How links are compared.
def rounds_EQ : Joined<["--"], "rounds=">, TakesBench, MetaVarName<"<N>">,
    HelpText<"How often each variant is run, cold and warm; 5 without it">;
def rounds : Separate<["--"], "rounds">, TakesBench, Alias<rounds_EQ>;
def cold_rounds_EQ : Joined<["--"], "cold-rounds=">, TakesBench,
    MetaVarName<"<N>">, HelpText<"How often cold; 0: never">;
def cold_rounds : Separate<["--"], "cold-rounds">, TakesBench, Alias<cold_rounds_EQ>;
def warm_rounds_EQ : Joined<["--"], "warm-rounds=">, TakesBench,
    MetaVarName<"<N>">, HelpText<"How often warm; 0: never">;
def warm_rounds : Separate<["--"], "warm-rounds">, TakesBench, Alias<warm_rounds_EQ>;
def variants_EQ : Joined<["--"], "variants=">, TakesBench,
    MetaVarName<"<NAME,...>">, Values<"stock,stock-prefetch,off,on,on+profile">,
    HelpText<"Of stock, stock-prefetch, off, on and on+profile; without it all "
             "that the linker has. All are compared with the first, those with "
             "prefetch also with off">;
def variants : Separate<["--"], "variants">, TakesBench, Alias<variants_EQ>;
def stock_EQ : Joined<["--"], "stock=">, TakesBench, MetaVarName<"<PROGRAM>">,
    HelpText<"The stock linker that a drop-in is compared with; without it "
             "LLVM's own">;
def stock : Separate<["--"], "stock">, TakesBench, Alias<stock_EQ>;
def prepare_EQ : Joined<["--"], "prepare=">, TakesBench, MetaVarName<"<COMMAND>">,
    HelpText<"Run by the shell before each cold link; cold is what it makes of it "
             "where the system does not tell what is in memory">;
def prepare : Separate<["--"], "prepare">, TakesBench, Alias<prepare_EQ>;
def throttle_EQ : Joined<["--"], "throttle=">, TakesBench,
    MetaVarName<"<BYTES/s>">,
    HelpText<"Limit the disk to that speed: 400M, 100000000 (powers of 1000)">;
def throttle : Separate<["--"], "throttle">, TakesBench, Alias<throttle_EQ>;
def json_EQ : Joined<["--"], "json=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Also write the JSON to a file">;
def csv_EQ : Joined<["--"], "csv=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Also write the rounds to a file, a line each">;
def csv : Separate<["--"], "csv">, TakesBench, Alias<csv_EQ>;
def html_EQ : Joined<["--"], "html=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Where the page is written; without it to headstart-bench.html">;
def html : Separate<["--"], "html">, TakesBench, Alias<html_EQ>;
def no_html : Flag<["--"], "no-html">, TakesBench, HelpText<"Write no page">;
def no_watch : Flag<["--"], "no-watch">, TakesBench,
    HelpText<"Leave out the links that are only watched, for the page's charts">;
def from_EQ : Joined<["--"], "from=">, TakesBench, MetaVarName<"<REPORT>">,
    HelpText<"Run nothing: write the page of a report that --json has kept">;
def from : Separate<["--"], "from">, TakesBench, Alias<from_EQ>;
