// Builds the page, in the order of the reader's questions.

function commandLine(words) {
  return words.map(word =>
    /^[\w@%+=:,./\\-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'")
    .join(" ");
}

// Returns the variant's command and environment in the syntax of env(1).
function wholeCommand({environment, command}) {
  const unset = environment.filter(([, value]) => typeof value !== "string");
  const set = environment.filter(([, value]) => typeof value === "string");
  return commandLine([...unset.length ? ["env"] : [],
    ...unset.flatMap(([name]) => ["-u", name]),
    ...set.map(([name, value]) => `${name}=${value}`), ...command]);
}

function facts(entries) {
  return el("dl", {}, entries.filter(([, value]) => value !== undefined)
    .map(([word, value]) => [el("dt", {}, word),
                             el("dd", {}, value === null ? unknown() : value)]));
}

const textOrUnknown = value => isText(value) ? foreign(value) : null;
const bytesOrUnknown = value => isNumber(value) ? bytes(value) : null;

function machineSection() {
  const {machine, linker, rounds} = report;
  const cores = isNumber(machine.cores) ? plural(machine.cores, "core") : null;
  return el("section", {"aria-label": "How it was measured"},
    el("h2", {}, "How it was measured"),
    el("p", {}, "The variants ran in turn, so that other load hit all of them. Before a ",
      "cold round the inputs were dropped from the page cache; a round that still ",
      "found some of them there was discarded, and is marked. A ratio is the ",
      "median over pairs of rounds, with its interval in brackets. ",
      "“No difference found”: the interval contains 1, or the difference is ",
      "under 2%. “Too noisy to tell”: the interval ends more than a tenth from 1, ",
      "so a difference is possible. Outliers are marked and counted. Times in the ",
      "charts start with the link."),
    facts([
      ["System", textOrUnknown(machine.system)],
      ["Processor", isText(machine.processor)
        ? el("span", {}, foreign(machine.processor), cores ? ", " + cores : null) : cores],
      ["Memory", bytesOrUnknown(machine.memory_bytes)],
      ["Disk", isText(machine.disk) || isText(machine.file_system)
        ? el("span", {}, foreign([machine.disk, machine.file_system].filter(isText)
                                 .join(", "))) : null],
      ["Readahead", isNumber(machine.readahead_bytes)
        ? machine.readahead_bytes / 1024 + " KiB" : null],
      ["Rounds requested", [["cold", rounds.cold], ["warm", rounds.warm]].map(
        ([state, value]) => `${isNumber(value) ? value : 0} ${state}`).join(", ") +
        " of each variant"],
      ["Linker", isText(linker.name) ? el("span", {}, foreign(linker.name),
        isText(linker.flavour) ? ` (${linker.flavour})` : null) : null],
      ["Compared with", isText(linker.stock)
        ? el("code", {}, foreign(linker.stock)) : undefined],
      ["Command", el("code", {}, foreign(commandLine(report.command)))],
      ["Folder", isText(report.folder) ? el("code", {}, foreign(report.folder)) : null],
      ["Measured by", textOrUnknown(report.program)],
    ]),
    el("h3", {}, "The variants’ own commands"),
    el("dl", {}, variants.map((variant, index) => [
      el("dt", {}, badge(index), variant.name),
      el("dd", {}, el("code", {}, foreign(wholeCommand(variant))))])),
    statsDetails(), saveButton());
}

function statsDetails() {
  const known = STATES.flatMap(state => variants.map((variant, index) =>
    ({state, index, stats: linkOf(index, state) && linkOf(index, state).stats})))
    .filter(entry => entry.stats);
  if (!known.length)
    return null;
  return el("details", {}, el("summary", {}, "The prefetcher’s own figures " +
      "(--prefetch-stats)"),
    known.map(({state, index, stats: {stores, decisions, ...others}}) => el("div", {},
      el("h3", {}, badge(index), state),
      storesTable(stores), decisionsTable(decisions),
      el("dl", {}, Object.entries(others).map(([key, value]) =>
        [el("dt", {}, key), el("dd", {}, foreign(statText(value)))])))));
}

const knownTime = ms => ms ? seconds(ms / 1e3) : unknown();

// The columns of the table of stores: the title, and a function of a store.
const STORE_COLUMNS = [
  ["One more request", store => orUnknown(store.request_us,
    us => `${us.toFixed(us < 10 ? 1 : 0)}\u00a0µs`)],
  ["One more megabyte", store => orUnknown(store.byte_ns, ns => seconds(ns / 1e3))],
  ["Round trip", store => knownTime(store.latency_ms)],
  ["Opening a file", store => knownTime(store.name_ms)],
  ["Requests at once", store => orUnknown(store.at_once, count)],
  ["Measurements", store => orUnknown(store.samples, count)],
];

function storesTable(stores) {
  const known = Array.isArray(stores) ? stores.filter(isObject) : [];
  return known.length ? stackingTable("stores",
    el("caption", {}, "What the stores of the inputs cost, as it was estimated"),
    tableHead(STORE_COLUMNS.map(([title]) => title), () => true),
    el("tbody", {}, known.map(store => el("tr", {}, STORE_COLUMNS.map(([title, show]) =>
      el("td", {class: "num", "data-label": title}, show(store))))))) : null;
}

function decisionsTable(decisions) {
  const known = isObject(decisions)
    ? Object.entries(decisions).filter(entry => isNumber(entry[1])) : [];
  known.sort((a, b) => b[1] - a[1]);
  const most = known.length ? known[0][1] : 1;
  return known.length ? stackingTable("decisions",
    el("caption", {}, "What was decided, and how often"),
    tableHead(["Decision", "Times", ""], () => false),
    el("tbody", {}, known.map(([name, times]) => el("tr", {},
      el("th", {scope: "row"}, foreign(name)),
      el("td", {class: "num"}, count(times)),
      el("td", {class: "plotted"}, el("meter", {max: most, value: times,
        "aria-label": `${name}: ${times}`})))))) : null;
}

function statText(value) {
  if (value === null)
    return UNKNOWN;
  if (isObject(value)) // processor_ms: purposes and times
    return Object.entries(value).map(([part, figure]) => `${part} ${figure}`).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const reportText = () => document.getElementById("report").textContent.trim() + "\n";

// The page contains its report, which the user can save and draw again.
function saveButton() {
  const button = el("button", {class: "more", type: "button"},
                    "Save the report as JSON");
  button.addEventListener("click", () => {
    const link = el("a", {download: "report.json", href: URL.createObjectURL(
      new Blob([reportText()], {type: "application/json"}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  return el("p", {}, button);
}

function dateText(value) {
  const date = new Date(isText(value) ? value : NaN);
  return isNaN(date) ? null : date.toLocaleString("en-GB", {timeZone: "UTC",
    day: "numeric", month: "long", year: "numeric", hour: "2-digit",
    minute: "2-digit"}) + " UTC";
}

function notesList() {
  const {notes} = report;
  return notes.length ? el("ul", {class: "notes"},
                           notes.map(note => el("li", {}, foreign(note)))) : null;
}

function build() {
  const {inputs} = report;
  const name = textOf(report.linker.name) || "the link";
  const command = commandLine(report.command);
  document.title = `${name}: headstart bench`;
  const main = document.getElementById("page");
  // Add each part to the page before it is drawn, since it queries the page's width.
  const add = part => part && main.append(part);
  add(el("p", {class: "kicker"}, "headstart bench",
    [dateText(report.date),
     isNumber(inputs.count) ? plural(inputs.count, "input") : null,
     isNumber(inputs.bytes) ? bytes(inputs.bytes) : null].filter(isText).map(text => " · " + text),
    " · ", foreign(command.length > 90 ? command.slice(0, 89) + "…" : command,
                   "path")));
  add(el("h1", {}, headline()));
  add(el("div", {class: "tiles"}, stateTile("cold"), stateTile("warm"), outputsTile()));
  add(notesList());
  add(resultsSection());
  add(timelineSection());
  add(inputsSection());
  add(machineSection());
  add(el("footer", {}, "This page loads nothing: the report is inside it. Drawn with ",
         `D3 ${d3.version}.`));
}

function refuse(error) {
  document.getElementById("page").append(el("p", {class: "warning"},
    "This is not a report of headstart bench that can be drawn: " + error.message));
}

let report = null, variants = [];
try {
  report = readReport(reportText());
  variants = report.variants;
} catch (error) {
  refuse(error);
}
if (report) {
  build();
  new ResizeObserver(() => redraw()).observe(document.getElementById("page"));
  // Redraw the charts for the width of paper, and afterwards for the screen.
  addEventListener("beforeprint", () => redraw(680));
  addEventListener("afterprint", () => redraw());
}
