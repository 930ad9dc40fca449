// The inputs: a table, and a map in which areas of any colour are numbers of bytes.

// The parts of a file by the use of their bytes; they add up to the file. If a
// figure is unknown, there are fewer parts.
const PARTS = {
  used: "fetched, and used by the linker",
  self: "used, but not fetched: cached before, or read by the linker itself",
  touched: "used by the linker, at least; whether it was fetched is not known",
  fetched: "fetched; whether it was used is not known",
  wasted: "fetched, not used",
  before: "cached before the link",
  absent: "not cached before",
  rest: "neither fetched nor used",
  untouched: "not seen used",
  unfetched: "not fetched",
  unknown: UNKNOWN,
};
const WORDS = {resident_before_bytes: "Cached before", fetched_bytes: "Fetched",
               touched_bytes: "Used", wasted_bytes: "Wasted"};

function partsOf(file, show) {
  const all = file.bytes;
  const clip = value => Math.max(0, Math.min(all, value));
  const {fetched_bytes: fetched, touched_bytes: touched,
         wasted_bytes: wasted, resident_before_bytes: before} = file.figures;
  if (show === "before")
    return isNumber(before) ? [["before", clip(before)], ["absent", all - clip(before)]]
      : [["unknown", all]];
  if (isNumber(fetched) && isNumber(touched) && isNumber(wasted)) {
    const used = clip(fetched - wasted);
    const self = Math.max(0, clip(touched) - used);
    const lost = Math.min(clip(wasted), all - used - self);
    return [["used", used], ["self", self], ["wasted", lost],
            ["rest", all - used - self - lost]];
  }
  if (isNumber(fetched))
    return [["fetched", clip(fetched)], ["unfetched", all - clip(fetched)]];
  if (isNumber(touched))
    return [["touched", clip(touched)], ["untouched", all - clip(touched)]];
  return [["unknown", all]];
}

// Makes the tree of directories. Names are keys of Maps, since a file may have the
// name "__proto__" or that of a directory.
function makeTree(files) {
  const root = {name: "", folders: new Map(), files: []};
  for (const file of files) {
    const windows = /^[A-Za-z]:[\\/]/.test(file.path) || !file.path.includes("/");
    const words = file.path.split(windows ? /[\\/]+/ : /\/+/);
    let folder = root;
    for (const word of words.slice(0, -1)) {
      if (!folder.folders.has(word))
        folder.folders.set(word, {name: word || "/", folders: new Map(), files: []});
      folder = folder.folders.get(word);
    }
    folder.files.push({name: words[words.length - 1] || file.path, file});
  }
  // Joins a directory that contains only one directory with it.
  const joined = folder => {
    let {name, folders} = folder;
    while (!folder.files.length && folder.folders.size === 1) {
      folder = [...folder.folders.values()][0];
      name = !name ? folder.name : (name === "/" ? "" : name) + "/" + folder.name;
    }
    return {name, children: [...[...folder.folders.values()].map(joined),
                             ...folder.files]};
  };
  return joined(root);
}

// The titles of an observed link's figures.
const wordsOf = link => !link || knowsUse(link) ? WORDS
  : {...WORDS, touched_bytes: USED_AT_LEAST};

function fillFigures(files, index, state) {
  const link = linkOf(index, state), inputs = link ? link.inputs : {};
  for (const file of files)
    for (const key of Object.keys(WORDS)) {
      const values = inputs[key];
      file.figures[key] = Array.isArray(values) && isNumber(values[file.index])
        ? values[file.index] : null;
    }
}

// -- the map -----------------------------------------------------------------

function layoutOf(tree, width, height) {
  const root = d3.hierarchy(tree, node => node.children)
    .sum(node => node.file ? node.file.bytes : 0)
    .sort((a, b) => b.value - a.value);
  // A directory's name needs room; a directory without a name takes none.
  const named = node => node.depth > 0 && node.children &&
    node.x1 - node.x0 > 54 && node.y1 - node.y0 > 40;
  return d3.treemap().size([width, height]).round(false)
    .paddingOuter(node => named(node) ? 2 : 0)
    .paddingTop(node => named(node) ? 17 : 0)
    .paddingInner(node => node.depth === 0 ? 3 : 0)(root);
}

const folderNameWidth = measureBy("600 11px"), fileNameWidth = measureBy("11px");

// Makes one SVG path for each part, over all files, so that drawing thousands of
// inputs is fast.
function partPaths(tiles, show) {
  const paths = new Map();
  for (const tile of tiles) {
    const {file} = tile.data, width = tile.x1 - tile.x0, height = tile.y1 - tile.y0;
    let at = 0;
    if (!(file.bytes > 0))
      continue;
    for (const [part, amount] of partsOf(file, show)) {
      if (amount <= 0)
        continue;
      const from = at / file.bytes, share = amount / file.bytes;
      at += amount;
      const [x, y, w, h] = width >= height
        ? [tile.x0 + from * width, tile.y0, share * width, height]
        : [tile.x0, tile.y0 + from * height, width, share * height];
      if (!paths.has(part))
        paths.set(part, []);
      paths.get(part).push(`M${x.toFixed(1)},${y.toFixed(1)}h${w.toFixed(2)}v${
        h.toFixed(2)}h${(-w).toFixed(2)}z`);
    }
  }
  return paths;
}

// Whether a tile's whole name is on the strong colour of its first part.
function liesOnColour(tile, show) {
  const [[part, amount]] = partsOf(tile.data.file, show);
  const share = amount / tile.data.file.bytes;
  const width = tile.x1 - tile.x0, height = tile.y1 - tile.y0;
  return ["used", "before", "fetched"].includes(part) && (width >= height
    ? share * width > fileNameWidth(tile.data.name) + 8 : share * height > 20);
}

function wasteLines(svg, id) {
  const pattern = svg.append("defs").append("pattern").attr("id", id)
    .attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse")
    .attr("patternTransform", "rotate(45)");
  pattern.append("rect").attr("class", "part-wasted-ground").attr("width", 6)
    .attr("height", 6);
  pattern.append("path").attr("class", "part-wasted-lines").attr("d", "M0,0V6");
  return `url(#${id})`;
}

function fileReading(file, words) {
  const rows = [["Size", bytes(file.bytes)],
    ...Object.entries(words).map(([key, word]) => [word,
      isNumber(file.figures[key]) ? bytes(file.figures[key]) +
        (file.bytes ? ` (${percent(file.figures[key] / file.bytes)})` : "")
        : UNKNOWN])];
  return {node: el("div", {}, el("strong", {}, foreign(file.path || "(no name)", "path")),
                   file.why ? el("div", {class: "hint"}, foreign(file.why)) : null,
                   el("table", {}, rows.map(([word, value]) =>
                     el("tr", {}, el("th", {}, word), el("td", {}, value))))),
          spoken: `${file.path}: ` + rows.map(row => row.join(" ")).join(", ")};
}

function drawMap(parent, tree, files, show, words, label) {
  const width = Math.floor(pageWidth());
  const height = files.length < 4 ? 150 : files.length < 20 ? 280
    : width < 560 ? 420 : 500;
  const root = layoutOf(tree, width, height);
  const svg = makeSVG(parent, width, height, label);
  const folders = root.descendants().filter(node => node.children && node.depth);
  svg.selectAll(".folder").data(folders).enter().append("rect").attr("class", "folder")
    .attr("x", n => n.x0).attr("y", n => n.y0)
    .attr("width", n => n.x1 - n.x0).attr("height", n => n.y1 - n.y0);
  const tiles = root.leaves().filter(node => node.data.file);
  const wasted = wasteLines(svg, "wasted-in-map");
  for (const [part, pieces] of partPaths(tiles, show))
    svg.append("path").attr("class", "part part-" + part).attr("data-part", part)
      .attr("fill", part === "wasted" ? wasted : null).attr("d", pieces.join(""));
  svg.append("g").selectAll(".file").data(tiles).enter().append("rect")
    .attr("class", "file").attr("x", n => n.x0).attr("y", n => n.y0)
    .attr("width", n => Math.max(0, n.x1 - n.x0))
    .attr("height", n => Math.max(0, n.y1 - n.y0))
    .style("stroke-width", n => Math.min(n.x1 - n.x0, n.y1 - n.y0) < 6 ? 0.3 : 1);
  svg.selectAll(".folder-name")
    .data(folders.filter(n => n.x1 - n.x0 > 54 && n.y1 - n.y0 > 40)).enter()
    .append("text").attr("class", "folder-name").attr("x", n => n.x0 + 5)
    .attr("y", n => n.y0 + 12.5).text(n => {
      const size = "  " + bytes(n.value), room = n.x1 - n.x0 - 10;
      return folderNameWidth(n.data.name + size) < room ? n.data.name + size
        : shortenedBy(folderNameWidth, n.data.name, room);
    });
  svg.selectAll(".file-name")
    .data(tiles.filter(n => n.y1 - n.y0 > 22 && n.x1 - n.x0 > 22 &&
                       n.x1 - n.x0 > fileNameWidth(n.data.name) + 10)).enter()
    .append("text").attr("x", n => n.x0 + 5).attr("y", n => n.y0 + 15)
    .attr("class", n => "file-name" + (liesOnColour(n, show) ? " on-colour" : ""))
    .text(n => n.data.name);
  const chosen = svg.append("rect").attr("class", "chosen").style("display", "none");
  listenToMap(svg.node(), tiles, words, chosen);
}

// The pointer and the arrow keys go from file to file.
function listenToMap(node, tiles, words, chosen) {
  let at = null;
  listen(node, {
    find: (x, y) => tiles.find(
      t => t.x0 <= x && x < t.x1 && t.y0 <= y && y < t.y1) || null,
    go({key}) {
      const way = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1],
                   ArrowUp: [0, -1]}[key];
      return !way || !tiles.length ? null : at ? neighbour(tiles, at, way) : tiles[0];
    },
    pointOf: tile => [tile.x1, tile.y0],
    mark(tile) {
      chosen.style("display", tile ? null : "none");
      if (!tile)
        return;
      at = tile;
      chosen.attr("x", tile.x0).attr("y", tile.y0)
        .attr("width", tile.x1 - tile.x0).attr("height", tile.y1 - tile.y0);
    },
    read: tile => fileReading(tile.data.file, words),
  });
}

// Returns the nearest tile in this direction, or `from` at the edge.
function neighbour(tiles, from, [dx, dy]) {
  const middle = t => [(t.x0 + t.x1) / 2, (t.y0 + t.y1) / 2];
  const [x, y] = middle(from);
  let best = from, least = Infinity;
  for (const tile of tiles) {
    const [tx, ty] = middle(tile);
    const along = (tx - x) * dx + (ty - y) * dy;
    const across = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
    if (tile !== from && along > 0.5 && along + 2.5 * across < least) {
      least = along + 2.5 * across;
      best = tile;
    }
  }
  return best;
}

function mapKey(files, show) {
  const totals = new Map();
  for (const file of files)
    for (const [part, amount] of partsOf(file, show))
      totals.set(part, (totals.get(part) || 0) + amount);
  const all = d3.sum(files, file => file.bytes);
  return el("ul", {class: "key"}, [...totals].filter(
    ([part, amount]) => amount > 0 || part === "wasted").map(([part, amount]) => {
      const item = el("li", {});
      const svg = d3.select(item).append("svg").attr("width", 18).attr("height", 14)
        .attr("aria-hidden", "true");
      const fill = part === "wasted" ? wasteLines(svg, "wasted-in-key") : null;
      svg.append("rect").attr("class", "part-" + part).attr("width", 18)
        .attr("height", 14).attr("rx", 2).attr("fill", fill);
      item.append(el("span", {}, el("strong", {}, bytes(amount)),
        ` (${percent(all ? amount / all : 0)}) ${PARTS[part]}`));
      return item;
    }));
}

// -- the table ---------------------------------------------------------------

function filesTable(files, words) {
  const columns = [
    {word: "Size", value: file => file.bytes},
    ...Object.entries(words).map(([key, word]) => ({word,
      value: file => file.figures[key]}))];
  let by = columns.findIndex(column => column.word === "Wasted");
  if (!files.some(file => columns[by].value(file) > 0))
    by = 0;
  let down = true, rows = 12;
  const table = stackingTable("files");
  const more = el("button", {class: "more", type: "button"});
  const draw = () => {
    const weight = file => {
      const value = columns[by].value(file);
      return isNumber(value) ? value : -1;
    };
    const sorted = [...files].sort((a, b) =>
      ((weight(b) - weight(a)) || (b.bytes - a.bytes)) * (down ? 1 : -1));
    table.replaceChildren(
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Input"),
        columns.map((column, at) => {
          const button = el("button", {type: "button"}, column.word);
          button.addEventListener("click", () => {
            down = by === at ? !down : true;
            by = at;
            draw();
            table.querySelectorAll("th button")[at].focus();
          });
          return el("th", {scope: "col", class: "num", "aria-sort": by !== at ? "none"
            : down ? "descending" : "ascending"}, button);
        }))),
      el("tbody", {}, sorted.slice(0, rows).map(file => el("tr", {},
        el("th", {scope: "row"}, foreign(file.path || "(no name)", "path"),
           file.why ? el("span", {class: "why"}, foreign(file.why)) : null),
        columns.map(column => el("td", {class: "num", "data-label": column.word},
          orUnknown(column.value(file), bytes)))))));
    setRoles(table);
    const left = files.length - rows;
    more.hidden = left <= 0;
    more.textContent = `Show ${count(Math.min(left, 100))} more of ${count(left)}`;
  };
  more.addEventListener("click", () => {
    rows += 100;
    draw();
  });
  draw();
  return [table, more];
}

function inputsSection() {
  const {files} = report.inputs;
  const section = el("section", {"aria-label": "The inputs"}, el("h2", {}, "The inputs"));
  const all = d3.sum(files, file => file.bytes);
  section.append(el("p", {class: "hint"}, `${plural(files.length, "file")}, ${
    bytes(all)}. The area of a tile is the size of a file; its colours are what ` +
    "became of its bytes."));
  if (!files.length) {
    section.append(el("p", {class: "unknown"}, "No input is known."));
    return section;
  }
  const tree = makeTree(files);
  const has = (index, state) => linkOf(index, state) && Object.keys(WORDS).some(
    key => Array.isArray(linkOf(index, state).inputs[key]));
  const told = variants.map((_, index) => index)
    .filter(index => STATES.some(state => has(index, state)));
  const view = {show: "use", state: "cold", index: told.includes(headlineVariant())
    ? headlineVariant() : told.length ? told[told.length - 1] : 0};
  if (told.length && !has(view.index, "cold"))
    view.state = "warm";
  const key = el("div", {}), plot = el("figure", {class: "plot map"});
  const tableTitle = el("h3", {}), table = el("div", {});
  const draw = () => {
    fillFigures(files, view.index, view.state);
    plot.replaceChildren();
    const label = `A map of ${plural(files.length, "input")} by size, grouped by ` +
      `folder: ${variants[view.index].title}, ` +
      `${view.state}. The arrow keys go from file to file.`;
    if (all > 0)
      drawMap(plot, tree, files, view.show, wordsOf(linkOf(view.index, view.state)),
              label);
    else
      plot.append(el("p", {class: "unknown"}, "All inputs are empty."));
    key.replaceChildren(mapKey(files, view.show));
  };
  const drawTable = () => {
    tableTitle.replaceChildren(files.some(f => f.figures.wasted_bytes > 0)
      ? "Inputs with the most bytes fetched and not used" : "The largest inputs",
      el("small", {}, foreign(variants[view.index].title), `, ${view.state}`));
    table.replaceChildren(...filesTable(files,
                                        wordsOf(linkOf(view.index, view.state))));
  };
  const change = () => {
    draw();
    drawTable();
  };
  if (told.length > 1)
    section.append(choices("Variant", "radio", told.map(index => ({
      value: String(index), variant: index,
      label: variants[index].title})), [String(view.index)],
      value => { view.index = Number(value); change(); }));
  if (told.length)
    section.append(choices("Link", "radio", STATES.map(state => ({value: state,
        label: state, disabled: !told.some(index => has(index, state))})),
        [view.state], value => { view.state = value; change(); }),
      choices("Colour", "radio", [
        {value: "use", label: "use of the bytes"},
        {value: "before", label: "the bytes cached before"}], [view.show],
        value => { view.show = value; change(); }));
  section.append(key, plot, tableTitle, table);
  whenSized(draw);
  drawTable();
  return section;
}
