// Functions that all parts of the page use: elements, figures for people, choices.
// `null` in a report means that the machine does not report the figure. The page
// shows it as "not known", never as 0.

const LETTERS = "ABCDEFGH";
const UNKNOWN = "not known";
const STATES = ["cold", "warm"];

// Makes an element with attributes and children. Text is never parsed as HTML.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value === true)
      node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value);
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined)
      node.append(child instanceof Node ? child : String(child));
  return node;
}

// Isolates a foreign name, so that its direction does not affect the text around it.
const foreign = (text, kind) => el("bdi", {class: kind}, text);
const unknown = () => el("span", {class: "unknown"}, UNKNOWN);
const orUnknown = (value, show) => isNumber(value) ? show(value) : unknown();

// Like `formatBytes` of LinkStats.h: powers of ten, as for disks.
function bytes(value) {
  if (value < 1000)
    return Math.round(value) + (Math.round(value) === 1 ? " byte" : " bytes");
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return value.toFixed(value < 9.95 ? 1 : 0) + "\u00a0" + units[unit];
}

function seconds(value) {
  if (value >= 100)
    return value.toFixed(0) + "\u00a0s";
  if (value >= 1)
    return value.toFixed(2) + "\u00a0s";
  return (value * 1000).toFixed(value < 0.00995 ? 1 : 0) + "\u00a0ms";
}

const count = value => Math.round(value).toLocaleString("en-US");
const plural = (value, one, many) =>
  count(value) + " " + (value === 1 ? one : many || one + "s");
const percent = share => (share > 0 && share < 0.005 ? "under 1"
  : share < 1 && share >= 0.995 ? "over 99" : Math.round(share * 100)) + "%";
const ratioText = value => value.toFixed(2);

// The width of a name in a chart, and the part that fits. They are estimated, not
// measured, since there may be thousands of names.
const nameWidth = text => text.length * 6.6;
function shortened(text, width) {
  const fits = Math.floor(width / 6.6);
  return text.length <= fits ? text : fits < 4 ? "" : text.slice(0, fits - 1) + "…";
}

// Measures text in the fonts of page.css, for names of which there are fewer.
const measureBy = font => {
  const context = document.createElement("canvas").getContext("2d");
  return text => {
    context.font = font + ' system-ui, "DejaVu Sans", sans-serif';
    return context.measureText(text).width;
  };
};
function shortenedBy(measure, text, width) {
  if (measure(text) <= width)
    return text;
  let [fits, over] = [0, text.length];
  while (fits + 1 < over) {
    const middle = (fits + over) >> 1;
    [fits, over] = measure(text.slice(0, middle) + "…") <= width ? [middle, over]
      : [fits, middle];
  }
  return fits < 3 ? "" : text.slice(0, fits) + "…";
}

// The unit for an axis of bytes: [divisor, name].
function byteUnit(largest) {
  for (const unit of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])
    if (largest >= 2 * unit[0])
      return unit;
  return largest >= 1000 ? [1e3, "kB"] : [1, "bytes"];
}

// The variant's letter on its colour, which marks it everywhere on the page.
const badge = index => el("span", {class: `badge v${index % 8}`},
                          LETTERS[index] || String(index + 1));

function variantName(index, kind) {
  return el(kind || "span", {class: "named"}, badge(index),
            foreign(variants[index].title));
}

// A table whose rows are blocks on a narrow page. The roles keep it a table for
// screen readers, which the block style would undo.
function setRoles(table) {
  for (const [what, role] of [["tr", "row"], ["td", "cell"], ["thead th", "columnheader"],
                              ["tbody th", "rowheader"]])
    for (const node of table.querySelectorAll(what))
      node.setAttribute("role", role);
}
function stackingTable(kind, ...children) {
  const table = el("table", {class: "stacks " + kind, role: "table"}, children);
  setRoles(table);
  return table;
}

// The head of a table; `isNumeric` says which columns have numbers.
const tableHead = (titles, isNumeric) => el("thead", {}, el("tr", {}, titles.map(
  (title, at) => el("th", {scope: "col", class: isNumeric(at) ? "num" : null}, title))));

// Makes a choice of one entry (radio buttons) or of any (check boxes).
// entries: [{value, label, variant, disabled}]
function choices(title, type, entries, chosen, onChange) {
  const name = "choice" + choices.used++;
  return el("fieldset", {}, el("legend", {}, title), entries.map(entry => {
    const input = el("input", {type, name, value: entry.value,
                               disabled: entry.disabled,
                               checked: chosen.includes(entry.value)});
    input.addEventListener("change", () => onChange(entry.value, input.checked));
    const isVariant = entry.variant !== undefined;
    return el("label", {class: "chip " + (isVariant ? `v${entry.variant % 8}`
                                                    : "plain")},
              input, isVariant ? badge(entry.variant) : null,
              foreign(entry.label));
  }));
}
choices.used = 0;

// Adds an SVG to the element `parent`.
function makeSVG(parent, width, height, label) {
  return d3.select(parent).append("svg").attr("width", width)
    .attr("height", height).attr("viewBox", `0 0 ${width} ${height}`)
    .attr("role", "img").attr("aria-label", label);
}

const addLine = (parent, kind, x1, y1, x2, y2) =>
  parent.append("line").attr("class", kind).attr("x1", x1).attr("x2", x2)
    .attr("y1", y1).attr("y2", y2);
const addRect = (parent, kind, x, y, width, height) =>
  parent.append("rect").attr("class", kind).attr("x", x).attr("y", y)
    .attr("width", width).attr("height", height);

// The box next to the pointer, and its text for screen readers.
const tip = {
  node: document.getElementById("tip"),
  show(content, x, y, spoken) {
    this.node.replaceChildren(content);
    this.node.hidden = false;
    const box = this.node.getBoundingClientRect();
    const right = document.documentElement.clientWidth - 8;
    let left = x + 16;
    if (left + box.width > right)
      left = x - 16 - box.width;
    this.node.style.left =
      Math.max(8, Math.min(left, right - box.width)) + "px";
    let top = y + 16;
    if (top + box.height > innerHeight - 8)
      top = y - 16 - box.height;
    this.node.style.top = Math.max(8, top) + "px";
    if (spoken)
      document.getElementById("spoken").textContent = spoken;
  },
  hide() { this.node.hidden = true; },
};

// Lets the pointer and the keys choose a place of a chart. `find(x, y)` returns the
// place at a point, and `go(event)` the one to which a key leads, or null.
// `pointOf(place)` is where to show its reading, which `read(place)` makes.
// `mark(place)` marks it, and `mark(null)` removes the mark.
function listen(node, {find, go, pointOf, mark, read}) {
  const boxOf = () => {
    const box = node.getBoundingClientRect();
    return {left: box.left, top: box.top, scale: box.width / node.viewBox.baseVal.width};
  };
  const show = (place, x, y, aloud) => {
    mark(place);
    const {node: content, spoken} = read(place);
    tip.show(content, x, y, aloud ? spoken : null);
  };
  const hide = () => {
    mark(null);
    tip.hide();
  };
  node.setAttribute("tabindex", "0");
  node.addEventListener("pointermove", event => {
    const {left, top, scale} = boxOf();
    const place = find((event.clientX - left) / scale, (event.clientY - top) / scale);
    if (place === null)
      hide();
    else
      show(place, event.clientX, event.clientY);
  });
  node.addEventListener("pointerleave", hide);
  node.addEventListener("blur", hide);
  node.addEventListener("keydown", event => {
    if (event.key === "Escape")
      hide();
    const place = go(event);
    if (place === null)
      return;
    event.preventDefault();
    const {left, top, scale} = boxOf(), [x, y] = pointOf(place);
    show(place, left + x * scale, Math.max(20, top + y * scale), true);
  });
}

// Calls `draw` now, and again when the page's width changes. Charts are drawn in
// pixels, so that their text keeps its size.
const drawings = [];
function whenSized(draw) {
  drawings.push(draw);
  draw();
}
const isPaper = () => redraw.printing || matchMedia("print").matches;
const pageWidth = () => redraw.printing ||
  document.getElementById("page").clientWidth - 2 * parseFloat(
    getComputedStyle(document.getElementById("page")).paddingLeft);

function redraw(printing) {
  redraw.printing = printing;
  const width = pageWidth();
  if (redraw.width === width)
    return;
  redraw.width = width;
  tip.hide();
  for (const draw of drawings)
    draw();
}
