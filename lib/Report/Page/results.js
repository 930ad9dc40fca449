// The results: the headline, the tiles, the tables of rounds.

// Returns the variant of the headline: Headstart with a profile if it was measured,
// else without one, else the last variant.
function headlineVariant() {
  for (const name of ["on+profile", "on"]) {
    const index = variants.findIndex(
      (v, at) => at > 0 && v.name === name && (v.cold || v.warm));
    if (index > 0)
      return index;
  }
  return variants.length - 1;
}

// The bases of comparison: the first variant, and Headstart off if that is another.
function basesOf() {
  const off = variants.findIndex(v => v.name === "off");
  return off > 0 && variants.some(v => STATES.some(state => v[state] && v[state].toOff))
    ? [off, 0] : [0];
}
const comparisonWith = (base, series) => base === 0 ? series.toFirst : series.toOff;

// Returns the comparison that shows the effect of prefetching if there is one, else
// that with the first variant.
function mainComparison(index, state) {
  const [base] = basesOf(), series = variants[index][state];
  return series.toOff && base ? {base, ...series.toOff} : {base: 0, ...series.toFirst};
}

// Returns the end of "50% of the time ...".
function baseWords(base) {
  const {name} = variants[base];
  return name === "off" ? "without prefetching"
    : name !== "stock" ? "of the first variant"
    : report.linker.kind === "headstart" ? "of stock lld" : "without prefetching";
}
// The effect that a comparison with this base shows.
const baseMeaning = base => variants[base].name === "off" ? "prefetching"
  : variants[base].name === "stock" ? "changing the linker" : null;

// Whether rounds that show no difference are inconclusive: a difference of more than
// a tenth is possible.
const isNoisy = ({verdict, ratio}) => verdict === "no difference" && ratio &&
  isNumber(ratio.low) && isNumber(ratio.high) && (ratio.low < 0.9 || ratio.high > 1.1);
const verdictWords = comparison => isNoisy(comparison) ? "too noisy to tell"
  : VERDICTS[comparison.verdict] || comparison.verdict;

// Returns the headline's clause about one state.
function clause(state) {
  const index = headlineVariant(), series = variants[index][state];
  if (!series)
    return "it was not measured";
  if (!isNumber(series.median_seconds))
    return "no valid round";
  if (index === 0)
    return `the link takes ${seconds(series.median_seconds)}`;
  const main = mainComparison(index, state);
  if (!main.ratio)
    return "the variants cannot be compared";
  if (main.verdict === "unknown")
    return "there are too few rounds to tell a difference";
  if (main.verdict === "no difference")
    return (isNoisy(main) ? "the rounds are too noisy to tell a difference"
      : "no difference was found") + rangeWords(main.ratio);
  const whose = variants[index].name.startsWith("on") ? "with Headstart" : "this way";
  return `the link ${whose} takes ${Math.round(main.ratio.median * 100)}% of the ` +
    "time " + baseWords(main.base);
}

function headline() {
  const measured = STATES.filter(state => variants.some(v => v[state]));
  if (measured.length === 0)
    return "Nothing was measured";
  const clauses = measured.map(clause);
  const text = clauses.length === 2 && clauses[0] === clauses[1]
    ? `cold and warm, ${clauses[0]}`
    : measured.map((state, at) => `${state}, ${clauses[at]}`).join("; ");
  return capital(text) + ".";
}

const capital = text => text[0].toUpperCase() + text.slice(1);

const VERDICTS = {faster: "faster", slower: "slower",
                  "no difference": "no difference found",
                  unknown: "too few rounds", base: "compared with"};

// Word joiners keep an interval on one line.
const intervalText = (low, high) =>
  `(${ratioText(low)}\u2060–\u2060${ratioText(high)})`;
const rangeWords = ({low, high}) => isNumber(low) && isNumber(high)
  ? ` (ratio ${ratioText(low)}\u2060–\u2060${ratioText(high)})` : "";
const ratioWords = ({median, low, high}) => ratioText(median) +
  (isNumber(low) && isNumber(high) ? ` ${intervalText(low, high)}` : "");

function stateTile(state) {
  const index = headlineVariant(), series = variants[index][state];
  const tile = (kind, big, ...lines) => el("section", {class: "tile" + kind},
    el("h2", {}, state === "cold" ? "Cold: inputs not in the page cache"
      : "Warm: inputs in the page cache"),
    el("p", {class: "big"}, big), lines);
  if (!series || !isNumber(series.median_seconds))
    return tile("", "–", el("p", {}, series ? "no valid round"
      : "not measured"));
  const time = seconds(series.median_seconds);
  const main = mainComparison(index, state), base = variants[main.base][state];
  if (index === 0 || !main.ratio)
    return tile("", time, el("p", {}, index === 0 ? "nothing to compare it with"
      : "it cannot be compared"));
  const times = time + (base && isNumber(base.median_seconds)
    ? ` against ${seconds(base.median_seconds)} ${baseWords(main.base)}` : "");
  const lines = [];
  const other = variants.findIndex(v => v.name === "on");
  const first = variants[index].name === "on+profile" && other > 0 &&
    variants[other][state] && mainComparison(other, state).ratio;
  if (first)
    lines.push(el("p", {class: "hint"},
      `First link, without a profile: ${ratioText(first.median)}`));
  const linker = main.base ? series.toFirst : null;
  if (linker && linker.ratio)
    lines.push(el("p", {}, `${capital(baseMeaning(0) || "all together")}: ${
      ratioText(linker.ratio.median)} of the time ${baseWords(0)}, ${
      verdictWords(linker)}`));
  if (main.verdict === "unknown")
    return tile("", "Too few rounds", el("p", {}, `${times}, ratio ${
      ratioWords(main.ratio)}`), lines);
  if (main.verdict === "no difference")
    return tile("", isNoisy(main) ? "Too noisy to tell"
      : ["No difference", el("small", {}, "found")],
      el("p", {}, `${times}, ratio ${ratioWords(main.ratio)}`), lines);
  return tile(main.verdict === "faster" ? " good" : " bad",
    [ratioText(main.ratio.median), el("small", {}, "of the time " + baseWords(main.base))],
    el("p", {}, `${times}, ${verdictWords(main)}`), lines);
}

function outputsTile() {
  const {outputs} = report, {files} = outputs;
  const [kind, big] = outputs.same === true ? [" good", "Identical"]
    : outputs.same === false ? [" bad", "Different"] : ["", "Not compared"];
  const names = files.slice(0, 4).map((file, at) =>
    [at ? ", " : null, foreign(file.name, "path"),
     isNumber(file.bytes) ? ` (${bytes(file.bytes)})` : null]);
  return el("section", {class: "tile" + kind},
    el("h2", {}, "Outputs of all variants"), el("p", {class: "big"}, big),
    files.length ? el("p", {}, names.flat(),
      files.length > 4 ? ` and ${files.length - 4} more` : null) : null,
    outputs.note ? el("p", {class: "hint"}, foreign(outputs.note)) : null,
    !files.length && !outputs.note && variants.length < 2
      ? el("p", {class: "hint"}, "One variant only.") : null);
}

// -- the tables --------------------------------------------------------------

// The rows of a table share this scale, so that the reader can compare them. It does
// not begin at 0, since the rounds of one variant would then overlap.
function roundScale(rows, width) {
  const times = rows.flatMap(row => row.series.rounds.map(round => round.seconds));
  let [low, high] = times.length ? d3.extent(times) : [0, 1];
  const least = 0.12 * high;
  if (high - low < least) {
    const middle = (low + high) / 2;
    [low, high] = [middle - least / 2, middle + least / 2];
  }
  const spare = (high - low) * 0.04;
  return d3.scaleLinear().domain([Math.max(0, low - spare), high + spare])
    .range([18, width - 18]).clamp(true);
}

const roundKind = round =>
  round.kept === false ? "away" : round.outlier ? "outlier" : "kept";

function roundText(round, number) {
  const kind = {away: "discarded", outlier: "outlier", kept: "kept"}[roundKind(round)];
  const rest = [
    isNumber(round.read_bytes) ? bytes(round.read_bytes) + " read" : null,
    isNumber(round.major_faults) ? count(round.major_faults) + " major faults" : null,
    isNumber(round.resident_before_bytes)
      ? bytes(round.resident_before_bytes) + " cached before" : null,
    isText(round.note) ? round.note : null];
  return [`Round ${number + 1}: ${seconds(round.seconds)}, ${kind}`,
          ...rest.filter(text => text)];
}

function drawRounds(parent, row, base, x, width) {
  const {series} = row, {rounds} = series;
  const height = 42;
  const svg = makeSVG(parent, width, height, `${row.title}: ` + rounds.map(
    (round, at) => roundText(round, at)[0]).join("; "));
  svg.attr("class", `v${row.index % 8}`);
  if (base && isNumber(base.median_seconds))
    addLine(svg, "reference", x(base.median_seconds), -3, x(base.median_seconds), height + 3);
  if (isNumber(series.min_seconds) && isNumber(series.max_seconds))
    addLine(svg, "spread", x(series.min_seconds), height / 2, x(series.max_seconds), height / 2);
  if (isNumber(series.median_seconds))
    addLine(svg, "median", x(series.median_seconds), 4, x(series.median_seconds), height - 4);
  // The rounds run from top to bottom, so that a drift shows as a slope.
  const step = rounds.length > 1 ? (height - 14) / (rounds.length - 1) : 0;
  svg.selectAll(".round").data(rounds).enter().append("path")
    .attr("class", round => "round " + roundKind(round))
    .attr("transform", (round, at) => `translate(${x(round.seconds)},${
      rounds.length > 1 ? 7 + at * step : height / 2})`)
    .attr("d", round => ({
      kept: d3.symbol().type(d3.symbolCircle).size(46)(),
      outlier: d3.symbol().type(d3.symbolDiamond).size(56)(),
      away: "M-4,-4L4,4M4,-4L-4,4"})[roundKind(round)])
    .each(function(round, at) {
      const lines = roundText(round, at);
      this.addEventListener("pointermove", event => tip.show(
        el("div", {}, lines.map((line, n) =>
          el("div", {}, n ? line : el("strong", {}, line)))),
        event.clientX, event.clientY));
      this.addEventListener("pointerleave", () => tip.hide());
    });
}

function drawRoundAxis(parent, x, width) {
  const [low, high] = x.domain();
  const unit = width < 200 ? (high < 1 ? "ms" : "s")
    : high < 1 ? "milliseconds" : "seconds";
  const shown = high < 1 ? d3.scaleLinear().domain([low * 1000, high * 1000])
    .range(x.range()) : x;
  const words = low > 0 ? unit + ", not from 0" : unit;
  const svg = makeSVG(parent, width, 34, "The axis: " + words);
  svg.append("g").attr("class", "axis").call(d3.axisBottom(shown)
    .ticks(width < 150 ? 2 : width < 200 ? 3 : 5).tickSize(4));
  svg.append("text").attr("class", "lane-note").attr("x", x.range()[1]).attr("y", 31)
    .attr("text-anchor", "end").text(words);
}

function drawRatio(parent, row, ratio, largest) {
  const width = 84, x = d3.scaleLinear().domain([0, largest]).range([0, width]);
  const svg = makeSVG(parent, width, 14, `ratio ${ratioText(ratio.median)}, between ` +
    `${ratioText(ratio.low)} and ${ratioText(ratio.high)}`);
  svg.attr("class", `v${row.index % 8}`);
  addRect(svg, "track", 0, 3, x(1), 8);
  addRect(svg, "bar", 0, 3, x(ratio.median), 8);
  addLine(svg, "whisker", x(ratio.low), 7, x(ratio.high), 7);
  addLine(svg, "whisker", x(1), 0, x(1), 14);
}

function ratioCell(row, base, largest) {
  if (row.index === base)
    return el("td", {class: "ratio", "data-label": ratioHead(base)},
              el("span", {class: "verdict"}, "1: the base"));
  const comparison = comparisonWith(base, row.series);
  if (!comparison) // the variant does not prefetch, so it has no `toOff`
    return el("td", {class: "ratio"});
  const {ratio, verdict} = comparison;
  const cell = el("td", {class: "ratio", "data-label": ratioHead(base)});
  if (ratio) {
    cell.append(el("div", {}, el("strong", {}, ratioText(ratio.median)),
      isNumber(ratio.low) && isNumber(ratio.high)
        ? " " + intervalText(ratio.low, ratio.high) : null));
    const bar = el("div", {class: "ratio-bar"});
    if (isNumber(ratio.low) && isNumber(ratio.high))
      drawRatio(bar, row, ratio, largest);
    bar.append(el("span", {class: "verdict " + verdict}, verdictWords(comparison)));
    cell.append(bar);
  } else
    cell.append(el("span", {class: "verdict"}, "cannot be compared"));
  return cell;
}

const ratioHead = base => basesOf().length === 1 ? "Ratio"
  : "Ratio to " + (LETTERS[base] || base + 1) +
    (baseMeaning(base) ? `: ${baseMeaning(base)}` : "");

function resultTable(state) {
  const rows = variants.map((variant, index) => ({variant, index,
      title: variant.title, series: variant[state]}))
    .filter(row => row.series);
  const base = variants[0][state];
  const bases = basesOf().sort((a, b) => a - b);
  const largest = Math.max(1.05, ...rows.flatMap(row => bases.map(at => {
    const {ratio} = comparisonWith(at, row.series) || {};
    return ratio ? Math.max(ratio.median, ratio.high || 0) : 0;
  })));
  const plots = [];
  const body = rows.map(row => {
    const {series} = row;
    const plot = el("td", {class: "plotted"});
    plots.push(plot);
    return el("tr", {},
      el("th", {scope: "row"}, variantName(row.index, "div")),
      el("td", {class: "num strong", "data-label": "Median"},
         orUnknown(series.median_seconds, seconds)),
      el("td", {class: "num", "data-label": "Min – max"},
         orUnknown(series.min_seconds, seconds), " – ",
         orUnknown(series.max_seconds, seconds)),
      bases.map(at => ratioCell(row, at, largest)),
      el("td", {class: "num", "data-label": "Read from disk"},
         orUnknown(series.median_read_bytes, bytes)),
      el("td", {class: "num", "data-label": "Major faults"},
         orUnknown(series.median_major_faults, count)), plot);
  });
  const axis = el("td", {class: "plotted"});
  const isNum = text => !["Variant", "Each round"].includes(text) &&
    !text.startsWith("Ratio");
  const head = ["Variant", "Median", "Min – max",
                ...bases.map(at => bases.length > 1 ? ratioHead(at) : "Ratio (interval)"),
                "Read from disk", "Major faults", "Each round"];
  const table = stackingTable("results" + (bases.length > 1 ? " two-bases" : ""),
    el("caption", {class: "unseen"}, `Rounds, ${state}`),
    tableHead(head, at => isNum(head[at])),
    el("tbody", {}, body),
    el("tfoot", {}, el("tr", {}, el("td", {colspan: head.length - 1}), axis)));
  whenSized(() => {
    const width = isPaper() ? (bases.length > 1 ? 118 : 150) : pageWidth() < 772 ? Math.min(pageWidth(), 560)
      : bases.length > 1 ? 160 : 260;
    const x = roundScale(rows, width);
    rows.forEach((row, at) => {
      plots[at].replaceChildren();
      drawRounds(plots[at], row, row.index ? base : null, x, width);
    });
    axis.replaceChildren();
    drawRoundAxis(axis, x, width);
  });
  return table;
}

function roundsKey() {
  const sample = (kind, path, words) => {
    const item = el("li", {});
    const svg = d3.select(item).append("svg").attr("width", 14).attr("height", 14)
      .attr("aria-hidden", "true").attr("class", "v0");
    svg.append("path").attr("class", kind).attr("transform", "translate(7,7)")
      .attr("d", path);
    item.append(words);
    return item;
  };
  return el("ul", {class: "key hint"},
    sample("round kept", d3.symbol().size(46)(), "a round"),
    sample("round outlier", d3.symbol().type(d3.symbolDiamond).size(56)(),
           "an outlier, counted"),
    sample("round away", "M-4,-4L4,4M4,-4L-4,4", "discarded, not counted"),
    sample("median", "M0,-7V7", "median"),
    sample("reference", "M0,-7V7", "median of A"));
}

function resultsSection() {
  const section = el("section", {"aria-label": "Results"}, el("h2", {}, "Results"));
  for (const state of STATES) {
    section.append(el("h3", {}, state === "cold" ? "Cold" : "Warm",
      el("small", {}, state === "cold" ? "no input in the page cache when the link starts"
        : "all inputs in the page cache when the link starts")));
    section.append(variants.some(v => v[state]) ? resultTable(state)
      : el("p", {class: "unknown"}, "Not measured."));
  }
  section.append(roundsKey());
  return section;
}
