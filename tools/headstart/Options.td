// The options of `headstart` and its subcommands.
include "llvm/Option/OptParser.td"

// The sets of options of the subcommands; see Subcommands in headstart.cpp.
foreach Set = ["JSON", "Linker", "Run", "Build", "Plan", "Walk", "Status", "Warm",
               "Bench", "Cache", "Evict", "Doctor"] in
  def Set # "Option" : OptionVisibility;

class TakesTree { list<OptionVisibility> Visibility = [WalkOption, WarmOption]; }

// An option with a value: --NAME=VALUE, or --NAME VALUE. Some subcommands have the
// text of Variants instead of Help.
multiclass Valued<list<OptionVisibility> Takes, string Name, string Value,
                  string Help, list<HelpTextVariant> Variants = []> {
  def _EQ : Joined<["--"], Name # "=">, Visibility<Takes>, MetaVarName<Value>,
      HelpText<Help> { let HelpTextsForVariants = Variants; }
  def "" : Separate<["--"], Name>, Visibility<Takes>,
      Alias<!cast<Option>(NAME # "_EQ")>;
}

def help : Flag<["--", "-"], "help">, HelpText<"Print this help and exit">;
def : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version and exit">;
def : Flag<["-"], "V">, Alias<version>;
def verbose : Flag<["--"], "verbose">, Visibility<[DoctorOption, BuildOption]>,
    HelpText<"Also list the checks that passed">,
    HelpTextForVariants<[BuildOption], "Also report that nothing was fetched, and why">;
def json : Flag<["--"], "json">, Visibility<[JSONOption]>,
    HelpText<"Print JSON instead of text">;
defm flavour : Valued<[LinkerOption], "flavour", "<coff|elf|macho>",
    "The kind of linker, if the linker's name does not show it">, Values<"coff,elf,macho">;

defm directory : Valued<[BuildOption], "directory", "<DIR>",
    "The build directory (default: as the build's command line says)">;
def build_step : Flag<["--"], "step">, Visibility<[BuildOption]>,
    HelpText<"Run COMMAND, a step of a build that runs already, and fetch until that build ends">;
def build_status : Flag<["--"], "status">, Visibility<[BuildOption]>,
    HelpText<"Run nothing; show what the running builds have fetched">;

defm prefetch_profile : Valued<[PlanOption], "prefetch-profile", "<FILE>",
    "Print the ranges in the profile of an earlier link; read no input">;

// The drop-in linkers have these options, too.
def prefetch_inputs : Flag<["--"], "prefetch-inputs">, Visibility<[RunOption]>,
    HelpText<"Prefetch while the linker runs (default)">;
def no_prefetch_inputs : Flag<["--"], "no-prefetch-inputs">, Visibility<[RunOption]>,
    HelpText<"Only run the linker">;
defm prefetch_jobs : Valued<[RunOption], "prefetch-jobs", "<N>",
    "Prefetch with N threads (default: 8, or up to 64 from a high-latency store); "
    "0 turns prefetching off">;
defm prefetch_memory : Valued<[RunOption], "prefetch-memory", "<SIZE>",
    "Fetch at most SIZE: 2G, 512M, or 50% of the available memory (default); "
    "0 fetches nothing">;
defm prefetch_queue : Valued<[RunOption], "prefetch-queue", "<auto|none|SIZE>",
    "Let links that do not fit in memory together run one after another (default: "
    "auto); SIZE replaces the memory that they share">, Values<"auto,none">;
def prefetch_stats : Flag<["--"], "prefetch-stats">, Visibility<[RunOption]>,
    HelpText<"Print to standard error what was fetched">;
def prefetch_stats_EQ : Joined<["--"], "prefetch-stats=">, Visibility<[RunOption]>,
    MetaVarName<"<FILE>">, HelpText<"Write what was fetched to a file, as JSON">;
defm prefetch_trace : Valued<[RunOption], "prefetch-trace", "<FILE>",
    "Write a trace for Perfetto or chrome://tracing to a file">;

// Options that select entries of a tree.
def hidden : Flag<["--"], "hidden">, TakesTree,
    HelpText<"Include names that begin with a dot">;
def no_ignore : Flag<["--"], "no-ignore">, TakesTree,
    HelpText<"Disregard .gitignore, .ignore and git's other excludes, which often "
             "exclude *.o and whole build directories">;
defm glob : Valued<[WalkOption, WarmOption], "glob", "<GLOB>",
    "Select entries that match GLOB, or with !GLOB those that do not; repeatable. "
    "A GLOB with a slash applies to the path below PATH, and ** matches any "
    "directories">;
defm max_depth : Valued<[WalkOption, WarmOption], "max-depth", "<N>",
    "Descend at most N levels; 1 selects the entries of PATH itself">;
def follow : Flag<["--"], "follow">, TakesTree,
    HelpText<"Follow symbolic links">;
def one_file_system : Flag<["--"], "one-file-system">, TakesTree,
    HelpText<"Stay on the file system of PATH">;
defm jobs : Valued<[WalkOption, StatusOption, WarmOption], "jobs", "<N>",
    "Use N threads (default: one per processor, and more while they wait for the "
    "disk)",
    [HelpTextVariant<[WarmOption], "Fetch and walk with N threads (default: 8 that fetch)">]>;

// Options for the form of a list.
def null : Flag<["-"], "0">, Visibility<[WalkOption, StatusOption]>,
    HelpText<"End each line with a null byte instead of a newline">;
def sort : Flag<["--"], "sort">, Visibility<[WalkOption]>,
    HelpText<"Sort by name, each directory directly before its entries">;
def stat : Flag<["--"], "stat">, Visibility<[WalkOption]>,
    HelpText<"Print the size in bytes and the modification time before each path">;
defm type : Valued<[WalkOption], "type", "<f|d|l>",
    "Select only files (f), directories (d) or links (l); letters combine">, Values<"f,d,l">;
defm manifest : Valued<[WalkOption], "manifest", "<FILE>",
    "Write a manifest to a file instead of a list; - means standard output">;

defm since : Valued<[StatusOption], "since", "<MANIFEST>",
    "The manifest to compare with, from headstart walk --manifest">;
def summary : Flag<["--"], "summary">, Visibility<[StatusOption, CacheOption]>,
    HelpText<"Print the number of changes to standard error (default on a terminal)">,
    HelpTextForVariants<[CacheOption], "Print only the totals">;
def all : Flag<["--"], "all">, Visibility<[EvictOption]>,
    HelpText<"Evict what this machine has cached of all files; needs root or an administrator">;
def exit_code : Flag<["--"], "exit-code">, Visibility<[StatusOption]>,
    HelpText<"Exit with 3 if something has changed and everything was readable">;

defm changed_since : Valued<[WarmOption], "changed-since", "<FILE>",
    "Fetch only files that differ from a manifest, or are newer than any other "
    "FILE">;
defm memory : Valued<[WarmOption, BuildOption], "memory", "<SIZE>",
    "Fetch at most SIZE: 2G, 512M, or a percentage of the available memory "
    "(default: 50%)",
    [HelpTextVariant<[BuildOption],
        "Fetch at most SIZE: 2G, 512M, or a percentage of the available memory "
        "(default: 25%)">]>;

// Options of bench.
defm rounds : Valued<[BenchOption], "rounds", "<N>",
    "Run N cold and N warm rounds of each variant (default: 5)">;
defm cold_rounds : Valued<[BenchOption], "cold-rounds", "<N>",
    "Run N cold rounds of each variant">;
defm warm_rounds : Valued<[BenchOption], "warm-rounds", "<N>",
    "Run N warm rounds of each variant">;
defm variants : Valued<[BenchOption], "variants", "<NAME,...>",
    "Run only some of stock, stock-prefetch, off, on and on+profile (default: all "
    "that the linker supports)">, Values<"stock,stock-prefetch,off,on,on+profile">;
defm stock : Valued<[BenchOption], "stock", "<PROGRAM>",
    "Compare a drop-in linker with this stock lld (default: the installed one of "
    "the same version)">;
defm prepare : Valued<[BenchOption], "prepare", "<COMMAND>",
    "Run COMMAND in the shell before each cold link; the link counts as cold if "
    "the system does not report what is cached">;
def json_EQ : Joined<["--"], "json=">, Visibility<[BenchOption]>, MetaVarName<"<FILE>">,
    HelpText<"Also write the JSON report to a file">;
defm html : Valued<[BenchOption], "html", "<FILE>",
    "Also write the results to a file, as a page with plots">;
def no_html : Flag<["--"], "no-html">, Visibility<[BenchOption]>,
    HelpText<"Do not mention --html at the end">;
def no_watch : Flag<["--"], "no-watch">, Visibility<[BenchOption]>,
    HelpText<"Skip the observed links, which the page's charts need">;
defm from : Valued<[BenchOption], "from", "<REPORT>",
    "Link nothing; write the page (--html) of a report that --json wrote">;
