(() => {
'use strict';
const all = (selector, from = document) => [...from.querySelectorAll(selector)],
      on = (node, types, act, how) => types.split(' ').forEach(type => node.addEventListener(type, act, how));
const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const button = (textContent, ariaLabel, onclick) => make('button', {type: 'button', textContent, ariaLabel, onclick});
const put = (node, attributes) => {
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  return node;
};
const space = document.querySelector('svg')?.namespaceURI,
      draw = (tag, attributes) => put(document.createElementNS(space, tag), attributes),
      within = (low, value, high) => Math.max(low, Math.min(value, high)),
      holds = (low, value, high) => low <= value && value <= high,
      numbers = text => text.split(' ').map(Number),
      WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
// Where the pointer is, in units of a drawing.
const place = (drawing, {clientX, clientY}) => new DOMPoint(clientX, clientY).matrixTransform(drawing.getScreenCTM().inverse());

// Numbers as cells show them: "12.5 ms", "3.1 ± 0.2", "(2.50 ± 0.03)×10⁷", "12 000".
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const number = text => {
  const plain = text.replace(/−/g, '-').replace(/(\d)\u00a0(?=\d{3})/g, '$1').trim();
  const [start, digits] = /^[(+]*(-?[\d.]+(?:e[-+]?\d+)?)/.exec(plain) || ['', NaN];
  const [, times, raised] = /(×)?10([⁻⁰¹²³⁴-⁹]+)/.exec(plain) || [],
        power = raised && raised.replace(/./g, c => (c === '⁻' ? '-' : RAISED.indexOf(c)));
  const [unit] = /[a-zµ%][^\s(]*/i.exec(plain.slice(start.length)) || [''];
  const prefix = 'pnµm kMGTP'.indexOf(unit[0]), bytes = 'KMGT'.indexOf(unit[0]);
  const factor = unit === 'h' ? 3600 : unit === 'd' ? 86400 : /^.iB/.test(unit) ? 1024 ** (bytes + 1)
    : /^.(op|B|W|s|J|bit)/.test(unit) && prefix >= 0 ? 1000 ** (prefix - 4) : 1;
  return factor * (raised && !times ? 1 : digits) * (raised ? 10 ** power : 1);
};

// Tables: all rows, those in the page and those carried as data; sorted, filtered, and shown by the page.
const PAGE = 100;
const read = box => {
  const table = box.querySelector('table'), heads = all('th[scope=col]', table), rest = box.querySelector('script'),
        rows = [...table.tBodies[0].rows].map(tr => ({tr, cells: [...tr.cells].map(cell => cell.textContent), data: tr.dataset}));
  if (rest) {
    const names = rest.dataset.names.split(' ');
    for (const line of JSON.parse(rest.textContent).split('\n')) {
      const cells = line.split('\t'), values = cells.splice(heads.length);
      rows.push({cells, data: Object.fromEntries(values.map((value, at) => [names[at], value]))});
    }
    [rest, ...all('.more', box)].forEach(node => node.remove());
  }
  return {box, table, heads, names: heads.map(head => head.textContent), rows, shown: rows, page: 0};
};
const row = ({heads}, {cells, data}) => {
  const tr = make('tr', {}, ...cells.map((textContent, at) => make('td', {className: heads[at].className, textContent})));
  Object.assign(tr.dataset, data);
  // "2" is best, "3=" is as good as another, "4≈" is not told from the best.
  for (const [, column, sign] of (data.best || '').matchAll(/(\d+)([=≈]?)/g)) {
    const cell = tr.cells[column];
    if (sign !== '≈') cell.className += ' best';
    if (sign) cell.append(' ', make('span', {className: 'tie', textContent: sign}));
  }
  return tr;
};
const show = (grid, page) => {
  const {shown, table, status, turns} = grid, last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
  grid.page = within(0, page, last);
  const from = grid.page * PAGE, rows = shown.slice(from, from + PAGE);
  table.tBodies[0].replaceChildren(...rows.map(one => (one.tr = one.tr || row(grid, one))));
  if (!status) return;
  status.textContent = `${rows.length ? from + 1 : 0}–${from + rows.length} of ${shown.length} rows`;
  turns.forEach((turn, at) => {
    turn.disabled = grid.page === at * last;
    turn.hidden = !last;
  });
};
const arrange = grid => {
  const {filter, by, order} = grid, words = (filter ? filter.value : '').toLowerCase().split(/\s+/);
  grid.shown = grid.rows.filter(({cells}) => {
    const text = cells.join(' ').toLowerCase();
    return words.every(word => text.includes(word));
  });
  if (by >= 0) {
    const keys = new Map(grid.shown.map(one => [one, number(one.cells[by])])),
          numeric = grid.shown.every(one => !one.cells[by].trim() || !isNaN(keys.get(one)));
    grid.shown.sort((a, b) => (numeric
      // Blank cells stay at the end.
      ? isNaN(keys.get(a)) - isNaN(keys.get(b)) || order * (keys.get(a) - keys.get(b) || 0)
      : order * a.cells[by].localeCompare(b.cells[by], 'en', {numeric: true})));
  }
  show(grid, 0);
};
const grids = new Map(all('.table').map(box => {
  const grid = read(box), {heads, rows} = grid;
  if (rows.length > 2) {
    heads.forEach((head, column) => head.replaceChildren(button(grid.names[column] || 'row', null, () => {
      grid.order = grid.by === column ? -grid.order : 1;
      grid.by = column;
      heads.forEach(other => other.removeAttribute('aria-sort'));
      put(head, {'aria-sort': grid.order > 0 ? 'ascending' : 'descending'});
      arrange(grid);
    })));
  }
  if (rows.length > 11) {
    grid.filter = make('input', {type: 'search', placeholder: 'filter', ariaLabel: 'filter rows', oninput: () => arrange(grid)});
    const turn = (sign, label, by) => button(sign, `${label} rows`, () => show(grid, grid.page + by)),
          [back, next] = grid.turns = [turn('‹', 'previous', -1), turn('›', 'next', 1)];
    grid.status = make('span', {role: 'status'});
    box.querySelector('.scroll').before(make('div', {className: 'tools'}, grid.filter, back, grid.status, next));
    show(grid, 0);
  }
  return [box, grid];
}));

// Charts: what stands where the pointer is, told beside it and marked in the drawing.
const tip = make('div', {id: 'tip', role: 'status', hidden: true});
document.body.append(tip);
const hide = () => {
  tip.hidden = true;
  all('.ring').forEach(ring => ring.remove());
};
on(window, 'scroll', hide, {passive: true});
on(window, 'pointerdown', e => e.target.closest('.chart') || hide());
const tell = (ground, {cells, field: [left, top, w, h, ...way]}, heads, {x, y}) => {
  hide();
  const lines = cells.flatMap((text, at) => (text ? [make(at || heads[at] ? 'span' : 'b', {textContent: heads[at] ? `${heads[at]}: ${text}` : text})] : []));
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const {offsetWidth, offsetHeight} = tip;
  tip.style.left = `${within(4, x + 14, document.documentElement.clientWidth - offsetWidth - 4)}px`;
  tip.style.top = `${y + offsetHeight + 24 > innerHeight ? y - offsetHeight - 10 : y + 14}px`;
  const pad = w || h ? 0 : 60;
  ground.append(pad && way.length ? draw('polyline', {class: 'ring', points: way})
    : draw('rect', {class: 'ring', x: left - pad, y: top - pad, width: w + 2 * pad, height: h + 2 * pad, rx: pad}));
};
const nearest = (spots, {x, y}, reach) => {
  let best, least = Infinity;
  for (const spot of spots) {
    const [left, top, w, h, ...way] = spot.field;
    let far = Math.hypot(x - within(left, x, left + w), y - within(top, y, top + h));
    // Of several that hold the place the smallest is meant, before lines.
    const area = far > 0 || way.length && !w ? 1e12 : w * h;
    for (let at = 2; at < way.length; at += 2) {
      const [a, b, c, d] = way.slice(at - 2), u = c - a, v = d - b,
            part = within(0, ((x - a) * u + (y - b) * v) / (u * u + v * v || 1), 1);
      far = Math.min(far, Math.hypot(x - a - part * u, y - b - part * v));
    }
    if (far <= (w || h || way.length ? reach / 6 : reach) && area + far < least) [best, least] = [spot, area + far];
  }
  return best;
};
const listen = (svg, ground, spots, heads) => {
  let current = -1;
  const plot = () => svg.querySelector('.plot') || svg;
  on(svg, 'pointermove pointerdown', e => {
    const at = place(plot(), e), {x, y, width, height} = ground.viewBox.baseVal,
          seen = holds(x, at.x, x + width) && holds(y, at.y, y + height),
          spot = seen && nearest(spots, at, 24 / plot().getScreenCTM().a);
    current = spots.indexOf(spot);
    if (spot) tell(ground, spot, heads, e); else hide();
  });
  // A finger leaves at once what it has touched.
  on(svg, 'pointerleave blur', e => e.pointerType === 'touch' || hide());
  // It holds buttons: the names of series.
  put(svg, {role: 'group', tabindex: 0});
  on(svg, 'keydown', e => {
    const [right, down] = WAYS[e.key] || [];
    if (e.key === 'Escape') hide();
    if (e.target !== svg || isNaN(right) || e.shiftKey || !spots.length) return;
    e.preventDefault();
    current = (current + right + down + spots.length) % spots.length;
    const [left, top, w, h] = spots[current].field;
    tell(ground, spots[current], heads, new DOMPoint(left + w / 2, top + h / 2).matrixTransform(plot().getScreenCTM()));
  });
};

// A series is picked out in all charts by its name.
let pinned = '', picked = '';
const name = e => e.target.closest?.('g.name')?.dataset.s || '';
const pick = series => {
  if (series === picked) return;
  picked = series;
  all('.chart > svg').forEach(svg => {
    const parts = all('[data-s]', svg);
    parts.forEach(part => part.classList.toggle('on', part.dataset.s === series));
    svg.classList.toggle('dim', parts.some(part => part.dataset.s === series));
  });
};
const pin = () => all('g.name').forEach(part => put(part,
  {tabindex: 0, role: 'button', 'aria-label': `pick out ${part.dataset.s}`, 'aria-pressed': part.dataset.s === pinned}));
pin();
on(document, 'pointerover focusin', e => pick(name(e) || pinned));
on(document, 'focusout', () => pick(pinned));
on(document, 'click keydown', e => {
  if (!name(e) || !['Enter', ' ', undefined].includes(e.key)) return;
  e.preventDefault();
  pinned = pinned === name(e) ? '' : name(e);
  pin();
  pick(pinned);
});

// Zoom: what is seen of the plot, through a port of its size. Names beside it go along, and ticks are made anew.
const zoom = (chart, svg) => {
  const plots = all('.plot', svg), plot = plots[0], {at, ends} = plot.dataset,
        [left, top, width, height] = numbers(at), [first, last] = numbers(ends || '');
  const ports = plots.map(plot => {
    const port = draw('svg', {class: 'port', x: left, y: top, width, height});
    plot.replaceWith(port);
    port.append(plot);
    return port;
  });
  const made = draw('g', {});
  if (ends) ports[0].after(made);
  let x, y, scale, drag;
  const tick = () => {
    const each = (last - first) / width, low = first + (x - left) * each, span = width / scale * each,
          ten = 10 ** Math.floor(Math.log10(span / 5)), step = ten * [1, 2, 5, 10].find(n => n * ten >= span / 5),
          unit = within(0, Math.ceil(-Math.log10(low + span) / 3), 4);
    for (let n = Math.ceil(low / step); n * step <= low + span; n++) {
      const x = left + (n * step - low) / span * width, text = draw('text',
        {x, y: top + height + 200, 'font-size': 110, fill: '#606060', 'text-anchor': 'middle'});
      text.textContent = `${+(n * step * 1000 ** unit).toPrecision(9)} ${['s', 'ms', 'µs', 'ns', 'ps'][unit]}`;
      made.append(draw('path', {d: `M${x} ${top}v${height + 50}`, stroke: '#bbb', 'stroke-width': 8}), text);
    }
  };
  const set = (toX, toY, size) => {
    scale = size;
    [x, y] = [within(left, toX, left + width - width / scale), within(top, toY, top + height - height / scale)];
    ports.forEach(port => put(port, {viewBox: [x, y, width / scale, height / scale]}));
    chart.classList.toggle('zoomed', scale > 1);
    made.replaceChildren();
    if (ends && scale > 1) tick();
    all('.side > *', svg).forEach(part => {
      // The middle of a name, or the height of a line. The name of a group is in the middle of what is seen of the group.
      const own = part.points ? part.points[0].y : +part.getAttribute('y') + 50, {span} = part.parentNode.dataset,
            [from, to] = (span ? numbers(span) : [own, own]).map(at => top + (at - y) * scale),
            low = Math.max(from, top - 60), high = Math.min(to, top + height), down = scale > 1 ? (low + high) / 2 : own;
      put(part, {transform: `translate(0 ${down - own})`, visibility: low > high ? 'hidden' : ''});
    });
  };
  const whole = () => set(left, top, 1),
        move = ([right, down]) => set(x + right / 5 * width / scale, y + down / 5 * height / scale, scale);
  // The place `at` stays where it is.
  const by = (factor, at = {x: x + width / scale / 2, y: y + height / scale / 2}) => {
    const after = within(1, scale * factor, 40), share = scale / after;
    set(at.x - (at.x - x) * share, at.y - (at.y - y) * share, after);
  };
  const keys = {'+': () => by(1.6), '-': () => by(1 / 1.6), 0: whole};
  chart.before(make('div', {className: `tools ${chart.classList[1]}`}, button('+', 'zoom in', keys['+']),
    button('−', 'zoom out', keys['-']), button('whole', 'show the whole chart', whole), 'drag to move; ctrl and wheel to zoom'));
  on(svg, 'wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    by(e.deltaY < 0 ? 1.2 : 1 / 1.2, place(plot, e));
  }, {passive: false});
  on(svg, 'pointerdown', e => {
    if (scale === 1) return;
    drag = place(plot, e);
    svg.setPointerCapture(e.pointerId);
  });
  on(svg, 'pointermove', e => {
    const now = place(plot, e);
    if (drag) set(x + drag.x - now.x, y + drag.y - now.y, scale);
  });
  on(svg, 'pointerup pointercancel', () => { drag = null; });
  on(svg, 'keydown', e => {
    const key = e.key === '=' ? '+' : e.key, way = e.shiftKey && WAYS[key];
    if (!way && !keys[key]) return;
    if (way) move(way); else keys[key]();
    e.preventDefault();
  });
  whole();
  return ports.at(-1);
};

all('figure').forEach(figure => {
  const {rows, names} = grids.get(figure.querySelector('.table')) || {rows: []};
  all('.chart', figure).forEach(chart => {
    const svg = chart.querySelector('svg'), key = chart.classList.contains('phone') ? 'p' : 'w';
    if (!svg) return;
    const spots = rows.filter(({data}) => data[key]).map(({cells, data}) => ({cells, field: numbers(data[key])}));
    listen(svg, svg.querySelector('.plot') && figure.classList.contains('zooms') ? zoom(chart, svg) : svg, spots, names);
  });
});
})();
