// The options of `headstart` and its subcommands.
include "llvm/Option/OptParser.td"

// The sets of options of the subcommands; see Subcommands in headstart.cpp.
def JSONOption : OptionVisibility;
def LinkerOption : OptionVisibility;
def RunOption : OptionVisibility;
def BuildOption : OptionVisibility;
def PlanOption : OptionVisibility;
def WalkOption : OptionVisibility;
def StatusOption : OptionVisibility;
def WarmOption : OptionVisibility;
def BenchOption : OptionVisibility;
def CacheOption : OptionVisibility;
def DoctorOption : OptionVisibility;

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
  list<OptionVisibility> Visibility = [WarmOption, BenchOption, BuildOption];
}
class TakesRun { list<OptionVisibility> Visibility = [RunOption]; }

def help : Flag<["--", "-"], "help">, HelpText<"Print this help and exit">;
def : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version and exit">;
def verbose : Flag<["--"], "verbose">, Visibility<[DoctorOption, BuildOption]>,
    HelpText<"Also list the checks that passed">,
    HelpTextForVariants<[BuildOption], "Also report that nothing was fetched, and why">;
def json : Flag<["--"], "json">, TakesJSON,
    HelpText<"Print JSON instead of text">;
def flavour_EQ : Joined<["--"], "flavour=">, TakesLinker,
    MetaVarName<"<coff|elf|macho>">, Values<"coff,elf,macho">,
    HelpText<"The kind of linker, if the linker's name does not show it">;
def flavour : Separate<["--"], "flavour">, TakesLinker, Alias<flavour_EQ>;

def directory_EQ : Joined<["--"], "directory=">, Visibility<[BuildOption]>,
    MetaVarName<"<DIR>">,
    HelpText<"The build directory (default: as the build's command line says)">;
def directory : Separate<["--"], "directory">, Visibility<[BuildOption]>, Alias<directory_EQ>;
def build_status : Flag<["--"], "status">, Visibility<[BuildOption]>,
    HelpText<"Run nothing; show what the running builds have fetched">;

def prefetch_profile_EQ : Joined<["--"], "prefetch-profile=">,
    Visibility<[PlanOption]>, MetaVarName<"<FILE>">,
    HelpText<"Print the ranges in the profile of an earlier link; read no input">;
def prefetch_profile : Separate<["--"], "prefetch-profile">, Visibility<[PlanOption]>, Alias<prefetch_profile_EQ>;

// The drop-in linkers have these options, too.
def prefetch_inputs : Flag<["--"], "prefetch-inputs">, TakesRun,
    HelpText<"Prefetch while the linker runs (default)">;
def no_prefetch_inputs : Flag<["--"], "no-prefetch-inputs">, TakesRun,
    HelpText<"Only run the linker">;
def prefetch_jobs_EQ : Joined<["--"], "prefetch-jobs=">, TakesRun,
    MetaVarName<"<N>">, HelpText<"Prefetch with N threads (default: 8, or up to 64 from "
                              "a high-latency store); 0 turns prefetching off">;
def prefetch_jobs : Separate<["--"], "prefetch-jobs">, TakesRun, Alias<prefetch_jobs_EQ>;
def prefetch_memory_EQ : Joined<["--"], "prefetch-memory=">, TakesRun,
    MetaVarName<"<SIZE>">,
    HelpText<"Fetch at most SIZE: 2G, 512M, or 50% of the available memory (default)">;
def prefetch_memory : Separate<["--"], "prefetch-memory">, TakesRun, Alias<prefetch_memory_EQ>;
def prefetch_queue_EQ : Joined<["--"], "prefetch-queue=">, TakesRun,
    MetaVarName<"<auto|none|SIZE>">, Values<"auto,none">,
    HelpText<"Let links that do not fit in memory together run one after another "
             "(default: auto); SIZE replaces the memory that they share">;
def prefetch_queue : Separate<["--"], "prefetch-queue">, TakesRun, Alias<prefetch_queue_EQ>;
def prefetch_stats : Flag<["--"], "prefetch-stats">, TakesRun,
    HelpText<"Print to standard error what was fetched">;
def prefetch_stats_EQ : Joined<["--"], "prefetch-stats=">, TakesRun,
    MetaVarName<"<FILE>">, HelpText<"Write what was fetched to a file, as JSON">;
def prefetch_trace_EQ : Joined<["--"], "prefetch-trace=">, TakesRun,
    MetaVarName<"<FILE>">,
    HelpText<"Write a trace for Perfetto or chrome://tracing to a file">;
def prefetch_trace : Separate<["--"], "prefetch-trace">, TakesRun, Alias<prefetch_trace_EQ>;

// Options that select entries of a tree.
def hidden : Flag<["--"], "hidden">, TakesTree,
    HelpText<"Include names that begin with a dot">;
def no_ignore : Flag<["--"], "no-ignore">, TakesTree,
    HelpText<"Disregard .gitignore, .ignore and git's other excludes, which often "
             "exclude *.o and whole build directories">;
def glob_EQ : Joined<["--"], "glob=">, TakesTree, MetaVarName<"<GLOB>">,
    HelpText<"Select entries that match GLOB, or with !GLOB those that do not; "
             "repeatable. A GLOB with a slash applies to the path below PATH, and "
             "** matches any directories">;
def glob : Separate<["--"], "glob">, TakesTree, Alias<glob_EQ>;
def max_depth_EQ : Joined<["--"], "max-depth=">, TakesTree, MetaVarName<"<N>">,
    HelpText<"Descend at most N levels; 1 selects the entries of PATH itself">;
def max_depth : Separate<["--"], "max-depth">, TakesTree, Alias<max_depth_EQ>;
def follow : Flag<["--"], "follow">, TakesTree,
    HelpText<"Follow symbolic links">;
def one_file_system : Flag<["--"], "one-file-system">, TakesTree,
    HelpText<"Stay on the file system of PATH">;
def jobs_EQ : Joined<["--"], "jobs=">, TakesJobs, MetaVarName<"<N>">,
    HelpText<"Use N threads (default: one per processor, and more while they wait "
             "for the disk)">,
    HelpTextForVariants<[WarmOption], "Fetch and walk with N threads (default: 8 that fetch)">;
def jobs : Separate<["--"], "jobs">, TakesJobs, Alias<jobs_EQ>;

// Options for the form of a list.
def null : Flag<["-"], "0">, TakesList,
    HelpText<"End each line with a null byte instead of a newline">;
def sort : Flag<["--"], "sort">, TakesWalk,
    HelpText<"Sort by name, each directory directly before its entries">;
def stat : Flag<["--"], "stat">, TakesWalk,
    HelpText<"Print the size in bytes and the modification time before each path">;
def type_EQ : Joined<["--"], "type=">, TakesWalk, MetaVarName<"<f|d|l>">,
    Values<"f,d,l">,
    HelpText<"Select only files (f), directories (d) or links (l); letters combine">;
def type : Separate<["--"], "type">, TakesWalk, Alias<type_EQ>;
def manifest_EQ : Joined<["--"], "manifest=">, TakesWalk,
    MetaVarName<"<FILE>">,
    HelpText<"Write a manifest to a file instead of a list; - means standard output">;
def manifest : Separate<["--"], "manifest">, TakesWalk, Alias<manifest_EQ>;

def since_EQ : Joined<["--"], "since=">, TakesStatus,
    MetaVarName<"<MANIFEST>">,
    HelpText<"The manifest to compare with, from headstart walk --manifest">;
def since : Separate<["--"], "since">, TakesStatus, Alias<since_EQ>;
def summary : Flag<["--"], "summary">, TakesSummary,
    HelpText<"Print the number of changes to standard error (default on a terminal)">,
    HelpTextForVariants<[CacheOption], "Print only the totals">;
def exit_code : Flag<["--"], "exit-code">, TakesStatus,
    HelpText<"Exit with 3 if something has changed and everything was readable">;

def changed_since_EQ : Joined<["--"], "changed-since=">, TakesWarm,
    MetaVarName<"<FILE>">,
    HelpText<"Fetch only files that differ from a manifest, or are newer than any "
             "other FILE">;
def changed_since : Separate<["--"], "changed-since">, TakesWarm, Alias<changed_since_EQ>;
def memory_EQ : Joined<["--"], "memory=">, TakesMemory, MetaVarName<"<SIZE>">,
    HelpText<"Fetch at most SIZE: 2G, 512M, or a percentage of the available memory "
             "(default: warm 50%, build 25%)">,
    HelpTextForVariants<[BenchOption], "Limit the memory of the links, including the page cache">;
def memory : Separate<["--"], "memory">, TakesMemory, Alias<memory_EQ>;

// Options of bench.
def rounds_EQ : Joined<["--"], "rounds=">, TakesBench, MetaVarName<"<N>">,
    HelpText<"Run N cold and N warm rounds of each variant (default: 5)">;
def rounds : Separate<["--"], "rounds">, TakesBench, Alias<rounds_EQ>;
def cold_rounds_EQ : Joined<["--"], "cold-rounds=">, TakesBench,
    MetaVarName<"<N>">, HelpText<"Run N cold rounds of each variant">;
def cold_rounds : Separate<["--"], "cold-rounds">, TakesBench, Alias<cold_rounds_EQ>;
def warm_rounds_EQ : Joined<["--"], "warm-rounds=">, TakesBench,
    MetaVarName<"<N>">, HelpText<"Run N warm rounds of each variant">;
def warm_rounds : Separate<["--"], "warm-rounds">, TakesBench, Alias<warm_rounds_EQ>;
def variants_EQ : Joined<["--"], "variants=">, TakesBench,
    MetaVarName<"<NAME,...>">, Values<"stock,stock-prefetch,off,on,on+profile">,
    HelpText<"Run only some of stock, stock-prefetch, off, on and on+profile "
             "(default: all that the linker supports)">;
def variants : Separate<["--"], "variants">, TakesBench, Alias<variants_EQ>;
def stock_EQ : Joined<["--"], "stock=">, TakesBench, MetaVarName<"<PROGRAM>">,
    HelpText<"Compare a drop-in linker with this stock lld (default: the "
             "installed one of the same version)">;
def stock : Separate<["--"], "stock">, TakesBench, Alias<stock_EQ>;
def prepare_EQ : Joined<["--"], "prepare=">, TakesBench, MetaVarName<"<COMMAND>">,
    HelpText<"Run COMMAND in the shell before each cold link; the link counts as "
             "cold if the system does not report what is cached">;
def prepare : Separate<["--"], "prepare">, TakesBench, Alias<prepare_EQ>;
def throttle_EQ : Joined<["--"], "throttle=">, TakesBench,
    MetaVarName<"<BYTES/s>">,
    HelpText<"Limit reads from the disk to this speed: 400M, 100000000">;
def throttle : Separate<["--"], "throttle">, TakesBench, Alias<throttle_EQ>;
def json_EQ : Joined<["--"], "json=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Also write the JSON report to a file">;
def csv_EQ : Joined<["--"], "csv=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Also write the rounds to a file, as comma-separated values">;
def csv : Separate<["--"], "csv">, TakesBench, Alias<csv_EQ>;
def html_EQ : Joined<["--"], "html=">, TakesBench, MetaVarName<"<FILE>">,
    HelpText<"Also write the results to a file, as a page with plots">;
def html : Separate<["--"], "html">, TakesBench, Alias<html_EQ>;
def no_html : Flag<["--"], "no-html">, TakesBench, HelpText<"Do not mention --html at the end">;
def no_watch : Flag<["--"], "no-watch">, TakesBench,
    HelpText<"Skip the observed links, which the page's charts need">;
def from_EQ : Joined<["--"], "from=">, TakesBench, MetaVarName<"<REPORT>">,
    HelpText<"Link nothing; write the page (--html) of a report that --json wrote">;
def from : Separate<["--"], "from">, TakesBench, Alias<from_EQ>;
