// The functions that check-page.py runs in a page. They are no part of it.
({
  // A picture's number of colours (at most 60), its mean brightness, the number of its rows
  // and of those that have one colour.
  async picture(png) {
    const image = new Image();
    image.src = 'data:image/png;base64,' + png;
    await image.decode();
    const {width, height} = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, width, height).data;
    const pixels = new Uint32Array(bytes.buffer), seen = new Set();
    let plain = 0;
    for (let at = 0; at < pixels.length; at += width) {
      const row = pixels.subarray(at, at + width);
      plain += row.every(pixel => pixel === row[0]);
      for (let x = 0; x < width && seen.size < 60; ++x) seen.add(row[x]);
    }
    const sum = bytes.reduce((all, byte, at) => at % 4 === 3 ? all : all + byte, 0);
    return {colours: seen.size, mean: sum / (3 * pixels.length), rows: height, plain};
  },

  // Sentences about the page's layout, if something is wrong.
  layout() {
    const wrong = [], root = document.documentElement, right = root.clientWidth;
    const say = text => { if (wrong.length < 12) wrong.push(text); };
    const named = node => (node.textContent || '').trim().slice(0, 40) || node.tagName;
    const unseen = node => node.closest('.unseen, [hidden], noscript, #tip, thead') &&
      !(node.closest('thead') && node.closest('thead').offsetWidth > 1);
    if (root.scrollWidth > right)
      say(`the page is ${root.scrollWidth} wide, the window ${right}`);
    for (const node of document.querySelectorAll('main *')) {
      const box = node.getBoundingClientRect();
      if (box.width && !unseen(node) && (box.right > right + 1 || box.left < -1))
        say(`outside of the page: ${node.tagName} "${named(node)}" ${
          Math.round(box.left)}-${Math.round(box.right)}`);
      for (const {name, value} of node.attributes)
        if (/NaN|undefined|Infinity/.test(value) && node.namespaceURI.endsWith('svg') &&
            name !== 'aria-label')
          say(`${node.tagName} has ${name}="${value.slice(0, 40)}"`);
    }
    // Pieces of text as they are laid out.
    const pieces = [];
    const walker = document.createTreeWalker(document.querySelector('main'),
                                             NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode, node = text.parentElement;
      if (!text.textContent.trim() || unseen(node) || node.closest('details:not([open])'))
        continue;
      if (/\bNaN\b|\bundefined\b|\bInfinity\b|\bnull\b|\[object /.test(text.textContent))
        say(`"${named(text)}" is nothing to be read`);
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects())
        if (box.width > 0.5 && box.height > 0.5)
          pieces.push({box, node, text});
      // Text that styles write above a cell's figures is not found here.
      const cell = node.closest('td, th');
      if (cell && pieces.length && pieces[pieces.length - 1].box.right >
          cell.getBoundingClientRect().right + 1)
        say(`longer than its cell: "${named(text)}"`);
      const svg = node.closest('svg');
      if (svg) {
        const frame = svg.getBoundingClientRect(), box = node.getBoundingClientRect();
        if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
            box.top < frame.top - 3 || box.bottom > frame.bottom + 3)
          say(`cut by its chart: "${named(node)}"`);
      }
    }
    pieces.sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < pieces.length; ++i)
      for (let j = i + 1; j < pieces.length &&
           pieces[j].box.top < pieces[i].box.bottom - 2; ++j) {
        const a = pieces[i].box, b = pieces[j].box;
        if (pieces[i].text !== pieces[j].text && Math.min(a.right, b.right) -
            Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - b.top > 4)
          say(`"${named(pieces[i].text)}" lies on "${named(pieces[j].text)}"`);
      }
    // Tiles and directories hold their names.
    for (const name of document.querySelectorAll('.file-name, .folder-name')) {
      const tile = d3.select(name).datum();
      if (name.getBBox().x + name.getBBox().width > tile.x1)
        say(`"${named(name)}" is longer than its tile`);
    }
    // Contrast, as the accessibility guidelines reckon it.
    const light = colour => {
      const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = node => {
      for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if (!/, 0\)|transparent/.test(colour))
          return colour;
      }
      return 'rgb(255, 255, 255)';
    };
    const reported = new Set();
    for (const {node} of pieces) {
      if (node.closest('.mark, .file-name, .folder-name, .phase-name, :disabled') ||
          node.closest('.chip') || reported.has(node))
        continue;
      reported.add(node);
      const style = getComputedStyle(node);
      const colour = node.closest('svg') ? style.fill : style.color;
      const [a, b] = [light(colour), light(ground(node))].sort((x, y) => y - x);
      const least = style.fontWeight >= 600 || parseFloat(style.fontSize) >= 20 ? 3 : 4.5;
      if ((a + 0.05) / (b + 0.05) < least)
        say(`"${named(node)}" is too pale: ${((a + 0.05) / (b + 0.05)).toFixed(1)}`);
    }
    for (const svg of document.querySelectorAll('svg:not([aria-hidden])'))
      if (!svg.getAttribute('aria-label') || svg.getAttribute('role') !== 'img')
        say('a chart without a label');
    if (document.hacked !== undefined)
      say('a name in the report was run as a script: ' + document.hacked);
    return wrong;
  },

  // The numbers of the page's marks.
  counts() {
    const count = what => document.querySelectorAll(what).length;
    const perState = what => Object.fromEntries(['cold', 'warm'].map(state =>
      [state, count(`[data-state=${state}] ${what}`)]));
    return {rounds: count('table.results .round'), away: count('table.results .away'),
            outliers: count('table.results .outlier'),
            lines: perState('path.line'), phases: perState('.phase'),
            stores: count('table.stores tbody tr'),
            decisions: count('table.decisions tbody tr'),
            files: count('.map .file'), variants: count('table.results tbody tr'),
            areas: [...document.querySelectorAll('.map .part')].map(part =>
              [part.dataset.part, [...part.getAttribute('d').matchAll(
                /h([\d.]+)v([\d.]+)/g)].reduce((sum, m) => sum + m[1] * m[2], 0)])};
  },

  // The middle of a mark, which is scrolled into the window.
  place(selector) {
    const mark = document.querySelector(selector);
    if (!mark) return null;
    mark.scrollIntoView({block: 'center'});
    const box = mark.getBoundingClientRect();
    return {x: box.left + box.width / 2, y: box.top + box.height / 2};
  },

  // The text that the page shows at the pointer, and has for screen readers.
  tip() {
    const tip = document.getElementById('tip');
    if (tip.hidden) return null;
    const box = tip.getBoundingClientRect();
    return {text: tip.textContent, inside: box.left >= 0 && box.top >= 0 &&
      box.right <= document.documentElement.clientWidth + 1,
      spoken: document.getElementById('spoken').textContent};
  },
})
