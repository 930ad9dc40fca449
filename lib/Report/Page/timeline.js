// The observed links over time: lanes below each other, cold above warm, on one
// time axis. A colour and a letter mark a variant; the kind of line marks a figure.

const LANES = [
  {id: "bytes", title: "Input bytes", height: 128, show: bytes, series: [
    {key: "fetched_bytes", label: "fetched by the prefetcher", kind: "fetched"},
    {key: "touched_bytes", label: "mapped in or read by the linker", kind: "touched"}]},
  {id: "disk", title: "Read from the disk", height: 84, per: "/s",
   show: value => bytes(value) + "/s", filled: true, series: [
    {key: "read_bytes", label: "read from the disk", kind: "rate"}]},
  {id: "faults", title: "Major faults so far", height: 70, show: count, counts: true,
   series: [{key: "major_faults", label: "major faults", kind: "plain"}]},
  {id: "memory", title: "Anonymous memory", height: 70, show: bytes, series: [
    {key: "memory_bytes", label: "anonymous memory", kind: "plain"}]},
];

const linkOf = (index, state) => variants[index].observed[state];
const observedAnywhere = index => STATES.some(state => linkOf(index, state));

const phasesOf = link => link ? link.phases : [];

function durationOf(link) {
  return Math.max(0, (link.seconds || 0) * 1000,
                  ...link.samples.ms.slice(-1).filter(isNumber),
                  ...link.phases.map(phase => phase.end_ms));
}

// Returns the points of one line, [[ms, value]…], or null if they are unknown.
function pointsOf(link, series) {
  const {ms} = link.samples, values = link.samples[series.key];
  if (!Array.isArray(values) || !values.some(isNumber))
    return null;
  const points = ms.map((at, n) => [at, values[n]])
    .filter(point => isNumber(point[0]) && isNumber(point[1]));
  if (points.length < (series.kind === "rate" ? 2 : 1))
    return null;
  return series.kind === "rate" ? ratesOf(points) : points;
}

// Converts a running count to its rate, over spans that are long enough to read:
// single samples of 10 ms show more about the sampling than about the disk.
function ratesOf(points) {
  const begin = points[0][0], end = points[points.length - 1][0];
  const span = Math.max((end - begin) / 120, 25);
  const bins = Math.max(1, Math.round((end - begin) / span));
  const find = d3.bisector(point => point[0]).left;
  const valueAt = at => {
    const next = Math.min(find(points, at), points.length - 1);
    const [t1, v1] = points[next], [t0, v0] = points[Math.max(0, next - 1)];
    return t1 === t0 ? v1 : v0 + (v1 - v0) * (at - t0) / (t1 - t0);
  };
  const rates = [];
  for (let bin = 0; bin < bins; ++bin) {
    const from = begin + (end - begin) * bin / bins;
    const to = begin + (end - begin) * (bin + 1) / bins;
    if (to > from)
      rates.push([(from + to) / 2,
                  Math.max(0, valueAt(to) - valueAt(from)) * 1000 / (to - from)]);
  }
  return rates.length ? [[begin, rates[0][1]], ...rates,
                         [end, rates[rates.length - 1][1]]] : points;
}

// Reduces the points to those that pixels can show: the extremes of each pixel.
function thinned(points, width) {
  if (points.length <= 3 * width)
    return points;
  const size = Math.ceil(points.length / width);
  const kept = [];
  for (let at = 0; at < points.length; at += size) {
    const bin = points.slice(at, at + size);
    const [least, most] = d3.extent(bin, point => point[1]);
    const low = bin.findIndex(point => point[1] === least);
    const high = bin.findIndex(point => point[1] === most);
    for (const n of [...new Set([0, low, high, bin.length - 1])].sort((a, b) => a - b))
      kept.push(bin[n]);
  }
  return kept;
}

function valueAt(points, ms) {
  if (!points || !points.length || ms > points[points.length - 1][0])
    return null;
  const at = d3.bisector(point => point[0]).right(points, ms);
  return points[Math.max(0, at - 1)][1];
}

const phaseAt = (link, ms) => phasesOf(link).find(
  phase => phase.begin_ms <= ms && ms < phase.end_ms);

// -- drawing -----------------------------------------------------------------

function timeAxis(x, longest) {
  const inSeconds = longest >= 1000;
  return d3.axisBottom(inSeconds ? d3.scaleLinear()
    .domain(x.domain().map(ms => ms / 1000)).range(x.range()) : x)
    .ticks(Math.max(3, (x.range()[1] - x.range()[0]) / 90)).tickSize(5)
    .tickFormat(value => `${value} ${inSeconds ? "s" : "ms"}`);
}

// Places the letters at the ends of lines, and moves overlapping letters apart.
function placeMarks(group, marks) {
  marks.sort((a, b) => a.x - b.x || a.y - b.y);
  const placed = [];
  for (const mark of marks) {
    for (let tries = 0; tries < 8; ++tries) {
      const near = placed.find(other => Math.hypot(other.x - mark.x,
                                                   other.y - mark.y) < 15);
      if (!near)
        break;
      mark.x = near.x + 15;
      mark.y = near.y;
    }
    placed.push(mark);
    const g = group.append("g").attr("class", `mark v${mark.index % 8}`)
      .attr("transform", `translate(${mark.x},${mark.y})`);
    g.append("circle").attr("r", 7);
    g.append("text").attr("y", 3.5).text(LETTERS[mark.index] || mark.index + 1);
  }
}

// Draws the meaning of the kinds of lines in a lane, as far as there is room.
function drawLineKey(group, lane, lines, right) {
  for (const series of [...lane.series].reverse()) {
    if (!lines.some(line => line.series === series))
      continue;
    right -= nameWidth(series.label);
    if (right < 200)
      return;
    group.append("text").attr("class", "lane-note").attr("x", right).attr("y", 11)
      .text(series.label);
    addLine(group, `line ${series.kind} key-line`, right - 28, 7, right - 6, 7);
    right -= 48;
  }
}

function drawLane(svg, lane, top, lines, x, width, largest) {
  const group = svg.append("g").attr("transform", `translate(0,${top})`)
    .attr("data-lane", lane.id);
  const title = group.append("text").attr("class", "lane-title").attr("y", 11)
    .text(lane.title);
  const note = title.append("tspan").attr("class", "lane-note").attr("dx", 8);
  if (lines.length === 0) {
    note.text(UNKNOWN).attr("font-style", "italic");
    return 26;
  }
  if (largest === 0) {
    note.text("none");
    return 26;
  }
  const [divisor, unit] = lane.counts ? [1, ""] : byteUnit(largest);
  note.text(unit + (lane.per || ""));
  const head = 20, bottom = head + lane.height;
  const steps = lane.height > 100 ? 4 : 2;
  const y = d3.scaleLinear().domain([0, largest / divisor]).nice(steps)
    .range([bottom, head]);
  const ticks = y.ticks(steps);
  const axis = d3.axisLeft(y).tickValues(ticks).tickSize(0).tickPadding(6)
    .tickFormat(value => value >= 1e4 ? d3.format("~s")(value)
      : value >= 1000 ? count(value) : String(value));
  group.selectAll(".gridline").data(ticks).enter().append("line")
    .attr("class", "gridline").attr("x1", x.range()[0]).attr("x2", x.range()[1])
    .attr("y1", y).attr("y2", y);
  group.append("g").attr("class", "axis")
    .attr("transform", `translate(${x.range()[0]},0)`).call(axis)
    .select(".domain").remove();
  if (lane.series.length > 1)
    drawLineKey(group, lane, lines, x.range()[1]);
  const marks = [];
  for (const line of lines) {
    const points = thinned(line.points, width);
    const px = point => x(point[0]), py = point => y(point[1] / divisor);
    if (lane.filled || line.series.kind === "fetched")
      group.append("path").attr("class", `area v${line.index % 8}`)
        .attr("d", d3.area().x(px).y0(bottom).y1(py)(points));
    group.append("path").attr("class", `line ${line.series.kind} v${line.index % 8}`)
      .attr("data-series", line.series.key).attr("data-variant", line.index)
      .attr("d", d3.line().x(px).y(py)(points));
    const last = points[points.length - 1];
    if (line.series.kind !== "fetched" || !lines.some(
      other => other.index === line.index && other !== line))
      marks.push({index: line.index, x: px(last) + 10, y: py(last)});
  }
  placeMarks(group, marks);
  return bottom + 16;
}

// Draws phases with the names that fit. The table below and the pointer's box have
// all names.
function drawPhases(svg, top, shown, state, x) {
  const group = svg.append("g").attr("transform", `translate(0,${top})`)
    .attr("data-lane", "phases");
  const title = group.append("text").attr("class", "lane-title").attr("y", 11)
    .text("Phases of the link");
  const rows = shown.filter(index => phasesOf(linkOf(index, state)).length);
  if (rows.length === 0) {
    title.append("tspan").attr("class", "lane-note").attr("font-style", "italic")
      .attr("dx", 8).text(UNKNOWN);
    return 24;
  }
  rows.forEach((index, row) => {
    const y = 20 + row * 26;
    for (const [at, phase] of phasesOf(linkOf(index, state)).entries()) {
      const left = x(phase.begin_ms), width = Math.max(0.5, x(phase.end_ms) - left);
      addRect(group, `phase v${index % 8}${at % 2 ? " odd" : ""}`, left, y, width, 21)
        .attr("rx", 2);
      const name = shortened(phase.name, width - 8);
      if (name.length >= Math.min(4, phase.name.length))
        group.append("text").attr("class", "phase-name").attr("x", left + 5)
          .attr("y", y + 14.5).text(name);
    }
    placeMarks(group, [{index, x: x.range()[0] - 13, y: y + 10.5}]);
  });
  return 20 + rows.length * 26 + 2;
}

function drawState(parent, state, shown, longest, largest, cursors) {
  const width = Math.floor(pageWidth());
  const left = width < 500 ? 40 : 48;
  const x = d3.scaleLinear().domain([0, longest]).range([left, width - 40]);
  const links = shown.filter(index => linkOf(index, state));
  const svg = makeSVG(parent, width, 10, `The link over time, ${state}: ` +
    links.map(index => `${variants[index].title} took ${
      seconds(durationOf(linkOf(index, state)) / 1000)}`).join("; ") +
    ". The arrow keys move a reading line.");
  let top = 4;
  const known = [];
  for (const lane of LANES) {
    const lines = [];
    for (const index of links)
      for (const series of lane.series) {
        const points = pointsOf(linkOf(index, state), series);
        if (points)
          lines.push({index, series, points});
      }
    known.push({lane, lines});
    const most = d3.max(lines, line => d3.max(line.points, point => point[1]));
    top += drawLane(svg, lane, top, lines, x, width,
                    most ? largest.get(lane.id) : 0);
  }
  top += drawPhases(svg, top, links, state, x);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${top + 4})`)
    .call(timeAxis(x, longest));
  const height = top + 30;
  svg.attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
  const cursor = svg.append("line").attr("class", "cursor").attr("y1", 18)
    .attr("y2", top + 4).style("display", "none");
  cursors.push({move: ms => cursor.style("display", ms === null ? "none" : null)
                  .attr("x1", x(ms || 0)).attr("x2", x(ms || 0))});
  moveLine(svg.node(), x, longest, state, links, known, cursors);
}

// -- reading -----------------------------------------------------------------

function reading(state, ms, links, known) {
  const rows = [];
  for (const {lane, lines} of known)
    for (const series of lane.series)
      if (lines.some(line => line.series === series))
        rows.push([series.label, ...links.map(index => {
          const line = lines.find(l => l.index === index && l.series === series);
          const value = line ? valueAt(line.points, ms) : null;
          return !line ? "–" : isNumber(value) ? lane.show(value) : "ended";
        })]);
  rows.push(["phase", ...links.map(index => {
    const phase = phaseAt(linkOf(index, state), ms);
    return phase ? phase.name.slice(0, 40) : "–";
  })]);
  const table = el("table", {},
    el("tr", {}, el("td", {}), links.map(index => el("td", {}, badge(index)))),
    rows.map(row => el("tr", {}, row.map((cell, at) => el(at ? "td" : "th", {}, cell)))));
  const spoken = `${state}, ${seconds(ms / 1000)}: ` + links.map((index, at) =>
    `${variants[index].title}: ` +
    rows.map(row => `${row[0]} ${row[at + 1]}`).join(", ")).join("; ");
  return {node: el("div", {}, el("strong", {}, `${seconds(ms / 1000)}, ${state}`), table),
          spoken};
}

// The pointer and the arrow keys move one line through all charts.
function moveLine(node, x, longest, state, links, known, cursors) {
  let at = 0;
  listen(node, {
    find: px => Math.max(0, Math.min(longest, x.invert(px))),
    go({key, shiftKey}) {
      const step = longest / (shiftKey ? 10 : 100);
      const to = {ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: longest}[key];
      return to === undefined ? null : Math.max(0, Math.min(longest, to));
    },
    pointOf: ms => [x(ms), 40],
    mark(ms) {
      at = ms === null ? at : ms;
      cursors.forEach(cursor => cursor.move(ms));
    },
    read: ms => reading(state, ms, links, known),
  });
}

// -- tables ------------------------------------------------------------------

const numbersOf = (link, key) => listOf(link.samples[key]).filter(isNumber);
const lastOf = (link, key) => numberOf(numbersOf(link, key).at(-1));
const mostOf = (link, key) => numberOf(d3.max(numbersOf(link, key)));

// Returns the sum over the inputs if it is known, like the map below. The last
// sample is some milliseconds old when a link ends.
function usedBy(link) {
  const each = listOf(link.inputs.touched_bytes);
  return each.length && each.every(isNumber) ? d3.sum(each)
    : mostOf(link, "touched_bytes");
}

// Only a profile contains all used bytes. From outside, headstart bench samples a
// linker every few milliseconds, and not once more at its end.
const knowsUse = link => Array.isArray(link.inputs.wasted_bytes);
const USED_AT_LEAST = "Used, at least";

function endsTable() {
  const rows = [];
  for (const state of STATES)
    for (const [index] of variants.entries()) {
      const link = linkOf(index, state);
      if (!link)
        continue;
      rows.push(el("tr", {},
        el("th", {scope: "row"},
           el("div", {class: "named"}, badge(index),
              el("span", {}, state + ", ", foreign(variants[index].title)))),
        [["Time", link.seconds, seconds],
         ["Fetched", lastOf(link, "fetched_bytes"), bytes],
         ["Used", usedBy(link), bytes, knowsUse(link) ? null
           : el("span", {class: "bound"}, " at least")],
         ["Read from disk", lastOf(link, "read_bytes"), bytes],
         ["Major faults", lastOf(link, "major_faults"), count],
         ["Peak memory", mostOf(link, "memory_bytes"), bytes]].map(
          ([label, value, show, bound]) =>
            el("td", {class: "num", "data-label": label}, orUnknown(value, show),
               isNumber(value) ? bound : null))));
    }
  const head = ["Observed link", "Time", "Fetched", "Used",
                "Read from disk", "Major faults", "Peak memory"];
  return stackingTable("ends",
    tableHead(head, at => at > 0), el("tbody", {}, rows));
}

function phasesTable() {
  const columns = STATES.flatMap(state => variants.map((_, index) => ({state, index}))
    .filter(({index}) => phasesOf(linkOf(index, state)).length));
  if (!columns.length)
    return null;
  const times = new Map();
  columns.forEach(({state, index}, column) => {
    for (const phase of phasesOf(linkOf(index, state))) {
      if (!times.has(phase.name))
        times.set(phase.name, new Map());
      const of = times.get(phase.name);
      of.set(column, (of.get(column) || 0) + phase.end_ms - phase.begin_ms);
    }
  });
  const label = ({state, index}) => `${state}, ${LETTERS[index] || index + 1}`;
  return stackingTable("phases",
    tableHead(["Phase", ...columns.map(column => [column.state + " ",
      badge(column.index)])], at => at > 0),
    el("tbody", {}, [...times].map(([name, of]) => el("tr", {},
      el("th", {scope: "row"}, foreign(name)),
      columns.map((column, at) => el("td", {class: "num", "data-label": label(column)},
        of.has(at) ? seconds(of.get(at) / 1000) : "–"))))));
}

function timelineSection() {
  const watched = variants.map((_, index) => index).filter(observedAnywhere);
  const section = el("section", {"aria-label": "The link over time"},
                     el("h2", {}, "The link over time"));
  if (!watched.length) {
    section.append(el("p", {class: "unknown"}, "No link was observed."));
    return section;
  }
  section.append(el("p", {class: "hint"}, "One more link of each variant, observed ",
    "and not in the tables above. Dotted: what the prefetcher has fetched. Solid: ",
    "what the linker has used."));
  const [base] = basesOf();
  const shown = new Set([watched.includes(base) ? base : watched[0],
    watched.includes(headlineVariant()) ? headlineVariant() : watched[watched.length - 1]]);
  if (watched.length > 1)
    section.append(choices("Shown", "checkbox", watched.map(index => ({
      value: String(index), label: variants[index].title,
      variant: index})), [...shown].map(String), (value, on) => {
        shown[on ? "add" : "delete"](Number(value));
        draw();
      }));
  const plots = STATES.map(state => {
    const plot = el("figure", {class: "plot", "data-state": state});
    section.append(el("h3", {}, state === "cold" ? "Cold" : "Warm"), plot);
    return plot;
  });
  const draw = () => {
    const chosen = [...shown].sort((a, b) => a - b);
    const links = STATES.flatMap(state => chosen.map(i => linkOf(i, state)))
      .filter(link => link);
    const longest = d3.max(links, durationOf) || 1;
    const largest = new Map(LANES.map(lane => [lane.id, d3.max(links, link =>
      d3.max(lane.series, series => d3.max(pointsOf(link, series) || [],
                                           point => point[1]))) || 0]));
    const cursors = [];
    STATES.forEach((state, at) => {
      plots[at].replaceChildren();
      if (!chosen.length)
        plots[at].append(el("p", {class: "hint"}, "No variant is chosen."));
      else if (!chosen.some(index => linkOf(index, state)))
        plots[at].append(el("p", {class: "unknown"}, `Not observed ${state}.`));
      else
        drawState(plots[at], state, chosen, longest, largest, cursors);
    });
  };
  whenSized(draw);
  const phases = phasesTable();
  section.append(el("h3", {}, "Totals of each observed link"), endsTable());
  if (phases)
    section.append(el("h3", {}, "Time in each phase"), phases);
  return section;
}
