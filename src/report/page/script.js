(() => {
'use strict';
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// Numbers as cells show them: "12.5 ms", "3.1 ± 0.2", "(2.50 ± 0.03)×10⁷", "12 000".
const UNITS = {ps: 1e-12, ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, h: 3600, d: 86400, B: 1, KiB: 2 ** 10, MiB: 2 ** 20,
  GiB: 2 ** 30, TiB: 2 ** 40};
const PREFIXES = {p: 1e-12, n: 1e-9, 'µ': 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15};
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const number = text => {
  const plain = text.replace(/−/g, '-').replace(/(\d)\u00a0(?=\d{3})/g, '$1').trim();
  const start = /^[(+]*(-?[\d.]+(?:e[-+]?\d+)?)/.exec(plain);
  if (!start) return NaN;
  let value = +start[1];
  const power = /(×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/.exec(plain);
  if (power) {
    const digits = [...power[2]].map(c => (c === '⁻' ? '-' : RAISED.indexOf(c))).join('');
    value = (power[1] ? value : 1) * 10 ** digits;
  }
  const unit = (/[a-zµ%][^\s(]*/i.exec(plain.slice(start[0].length)) || [''])[0];
  if (unit in UNITS) return value * UNITS[unit];
  return unit.length > 1 && /^(op|B|W|s|J|bit)/.test(unit.slice(1)) ? value * (PREFIXES[unit[0]] || 1) : value;
};

// Tables: all rows, those in the page and those carried as data; sorted, filtered, and shown by the page.
const PAGE = 100;
const read = box => {
  const table = box.querySelector('table'), body = table.tBodies[0];
  const classes = all('th[scope=col]', table).map(head => head.className);
  const rows = [...body.rows].map(tr => ({tr, cells: [...tr.cells].map(cell => cell.textContent), data: tr.dataset}));
  const rest = box.querySelector('script');
  if (rest) {
    const names = rest.dataset.names.split(' ').filter(Boolean);
    for (const line of JSON.parse(rest.textContent).split('\n')) {
      const cells = line.split('\t'), data = {};
      const values = cells.splice(classes.length);
      names.forEach((name, place) => { data[name] = values[place]; });
      rows.push({cells, data});
    }
    rest.remove();
    all('.more', box).forEach(note => note.remove());
  }
  return {box, table, body, classes, rows, shown: rows, page: 0};
};
const row = (grid, {cells, data}) => {
  const tr = make('tr', {}, ...cells.map((text, at) => make('td', {className: grid.classes[at], textContent: text})));
  Object.assign(tr.dataset, data);
  // "2" is best, "3=" is as good as another, "4≈" is not told from the best.
  for (const [, column, sign] of (data.best || '').matchAll(/(\d+)([=≈]?)/g)) {
    const cell = tr.cells[column];
    if (sign !== '≈') cell.className += ' best';
    if (sign) cell.append(' ', make('span', {className: 'tie', textContent: sign}));
  }
  return tr;
};
const show = grid => {
  const pages = Math.max(1, Math.ceil(grid.shown.length / PAGE));
  grid.page = Math.min(Math.max(grid.page, 0), pages - 1);
  const from = grid.page * PAGE, rows = grid.shown.slice(from, from + PAGE);
  grid.body.replaceChildren(...rows.map(one => (one.tr = one.tr || row(grid, one))));
  if (!grid.status) return;
  grid.status.textContent = `${rows.length ? from + 1 : 0}–${from + rows.length} of ${grid.shown.length} rows`;
  [grid.back.disabled, grid.next.disabled] = [grid.page === 0, grid.page === pages - 1];
  [grid.back, grid.next].forEach(button => { button.hidden = pages === 1; });
};
const arrange = grid => {
  const words = (grid.filter ? grid.filter.value : '').toLowerCase().split(/\s+/).filter(Boolean);
  grid.shown = grid.rows.filter(({cells}) => {
    const text = cells.join(' ').toLowerCase();
    return words.every(word => text.includes(word));
  });
  if (grid.by !== undefined) {
    const keys = new Map(grid.shown.map(one => [one, number(one.cells[grid.by] || '')]));
    const numeric = grid.shown.every(one => !(one.cells[grid.by] || '').trim() || !isNaN(keys.get(one)));
    const compare = (a, b) => numeric
      // Blank cells stay at the end.
      ? (isNaN(keys.get(a)) - isNaN(keys.get(b))) || grid.order * (keys.get(a) - keys.get(b) || 0)
      : grid.order * a.cells[grid.by].localeCompare(b.cells[grid.by], 'en', {numeric: true});
    grid.shown.sort(compare);
  }
  grid.page = 0;
  show(grid);
};
const tools = grid => {
  if (grid.rows.length < 3) return;
  all('th[scope=col]', grid.table).forEach((head, column) => {
    const button = make('button', {type: 'button', textContent: head.textContent || 'row'});
    head.dataset.head = head.textContent;
    button.onclick = () => {
      grid.order = grid.by === column ? -grid.order : 1;
      grid.by = column;
      all('th', grid.table).forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', grid.order > 0 ? 'ascending' : 'descending');
      arrange(grid);
    };
    head.replaceChildren(button);
  });
  if (grid.rows.length < 12) return;
  grid.filter = make('input', {type: 'search', placeholder: 'filter', ariaLabel: 'filter rows', oninput: () => arrange(grid)});
  const turn = by => () => { grid.page += by; show(grid); };
  grid.back = make('button', {type: 'button', textContent: '‹', ariaLabel: 'previous rows', onclick: turn(-1)});
  grid.next = make('button', {type: 'button', textContent: '›', ariaLabel: 'next rows', onclick: turn(1)});
  grid.status = make('span', {role: 'status'});
  grid.box.querySelector('.scroll').before(make('div', {className: 'tools'}, grid.filter, grid.back, grid.status, grid.next));
  show(grid);
};
const grids = new Map(all('.table').map(box => [box, read(box)]));
grids.forEach(tools);

// Charts: what stands where the pointer is, told beside it and marked in the drawing.
const tip = make('div', {id: 'tip', role: 'status', hidden: true});
document.body.append(tip);
const hide = () => {
  tip.hidden = true;
  all('.ring').forEach(ring => ring.remove());
};
addEventListener('scroll', hide, {passive: true});
addEventListener('pointerdown', event => { if (!event.target.closest('.chart')) hide(); });
const tell = (svg, spot, heads, x, y) => {
  hide();
  const lines = heads.map((head, at) => [head, spot.cells[at]]).filter(([, text]) => text);
  tip.replaceChildren(...lines.map(([head, text], at) => (at || head ? make('span', {}, head ? `${head}: ${text}` : text)
    : make('b', {}, text))));
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect(), room = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(4, Math.min(x + 14, room - width - 4))}px`;
  tip.style.top = `${y + height + 24 > innerHeight ? y - height - 10 : y + 14}px`;
  const [left, top, w, h] = spot.field, pad = w || h ? 0 : 60;
  const ring = document.createElementNS(svg.namespaceURI, 'rect');
  const at = {class: 'ring', x: left - pad, y: top - pad, width: w + 2 * pad, height: h + 2 * pad, rx: pad};
  Object.entries(at).forEach(([name, value]) => ring.setAttribute(name, value));
  svg.append(ring);
};
const nearest = (spots, {x, y}, reach) => {
  let best, least = Infinity;
  for (const spot of spots) {
    const [left, top, w, h] = spot.field;
    const far = Math.hypot(Math.max(left - x, 0, x - left - w), Math.max(top - y, 0, y - top - h));
    // Of several that hold the place the smallest is meant.
    const cost = far > 0 ? 1e12 + far : w * h;
    if (far <= (w || h ? reach / 6 : reach) && cost < least) [best, least] = [spot, cost];
  }
  return best;
};
const listen = (figure, svg, spots, heads) => {
  let current = -1;
  const place = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const point = event => {
    const scale = 1 / svg.getScreenCTM().a, spot = nearest(spots, place(event), 24 * scale);
    current = spots.indexOf(spot);
    if (spot) tell(svg, spot, heads, event.clientX, event.clientY); else hide();
  };
  ['pointermove', 'pointerdown'].forEach(type => svg.addEventListener(type, point));
  // A finger leaves at once what it has touched.
  svg.addEventListener('pointerleave', event => { if (event.pointerType !== 'touch') hide(); });
  svg.addEventListener('blur', hide);
  // It holds buttons: the names of series.
  svg.setAttribute('role', 'group');
  svg.setAttribute('tabindex', 0);
  svg.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === 'Escape') hide();
    if (event.target !== svg || !step || event.shiftKey || !spots.length) return;
    event.preventDefault();
    current = (current + step + spots.length) % spots.length;
    const [left, top, w, h] = spots[current].field;
    const at = new DOMPoint(left + w / 2, top + h / 2).matrixTransform(svg.getScreenCTM());
    tell(svg, spots[current], heads, at.x, at.y);
  });
};

// A series is picked out in all charts by its name.
let pinned = '';
const pick = name => {
  all('.chart svg').forEach(svg => {
    const parts = all('[data-s]', svg), own = parts.filter(part => part.dataset.s === name);
    svg.classList.toggle('dim', own.length > 0);
    parts.forEach(part => part.classList.toggle('on', part.dataset.s === name));
  });
};
all('g.name').forEach(part => {
  const name = part.dataset.s;
  const toggle = event => {
    event.preventDefault();
    pinned = pinned === name ? '' : name;
    all('g.name').forEach(other => other.setAttribute('aria-pressed', other.dataset.s === pinned));
    pick(pinned);
  };
  const attributes = {tabindex: 0, role: 'button', 'aria-label': `pick out ${name}`, 'aria-pressed': false};
  Object.entries(attributes).forEach(([key, value]) => part.setAttribute(key, value));
  part.addEventListener('click', toggle);
  part.addEventListener('keydown', event => { if (event.key === 'Enter' || event.key === ' ') toggle(event); });
  ['focus', 'pointerenter'].forEach(type => part.addEventListener(type, () => pick(name)));
  ['blur', 'pointerleave'].forEach(type => part.addEventListener(type, () => pick(pinned)));
});

// Zoom: what is seen of the sheet.
const zoom = (chart, svg) => {
  const whole = svg.viewBox.baseVal, [width, height] = [whole.width, whole.height];
  let [x, y, scale, drag] = [0, 0, 1, null];
  const set = (left, top, size) => {
    scale = Math.min(Math.max(size, 1), 40);
    x = Math.min(Math.max(left, 0), width - width / scale);
    y = Math.min(Math.max(top, 0), height - height / scale);
    svg.setAttribute('viewBox', `${x} ${y} ${width / scale} ${height / scale}`);
    chart.classList.toggle('zoomed', scale > 1);
  };
  // The place `at` stays where it is.
  const by = (factor, at = {x: x + width / scale / 2, y: y + height / scale / 2}) => {
    const after = Math.min(Math.max(scale * factor, 1), 40), share = scale / after;
    set(at.x - (at.x - x) * share, at.y - (at.y - y) * share, after);
  };
  const move = (dx, dy) => set(x + dx * width / scale, y + dy * height / scale, scale);
  const button = (text, label, action) => make('button', {type: 'button', textContent: text, ariaLabel: label, onclick: action});
  chart.before(make('div', {className: `tools ${chart.classList.contains('phone') ? 'phone' : 'wide'}`},
    button('+', 'zoom in', () => by(1.6)), button('−', 'zoom out', () => by(1 / 1.6)),
    button('whole', 'show the whole chart', () => set(0, 0, 1)), 'drag to move; ctrl and wheel to zoom'));
  svg.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    by(event.deltaY < 0 ? 1.2 : 1 / 1.2, new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()));
  }, {passive: false});
  svg.addEventListener('pointerdown', event => {
    if (scale === 1) return;
    drag = {x: event.clientX, y: event.clientY, left: x, top: y, unit: 1 / svg.getScreenCTM().a};
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', event => {
    if (drag) set(drag.left - (event.clientX - drag.x) * drag.unit, drag.top - (event.clientY - drag.y) * drag.unit, scale);
  });
  ['pointerup', 'pointercancel'].forEach(type => svg.addEventListener(type, () => { drag = null; }));
  svg.addEventListener('keydown', event => {
    const way = event.shiftKey && {ArrowLeft: [-.2, 0], ArrowRight: [.2, 0], ArrowUp: [0, -.2], ArrowDown: [0, .2]}[event.key];
    if (way) move(...way);
    else if (event.key === '+' || event.key === '=') by(1.6);
    else if (event.key === '-') by(1 / 1.6);
    else if (event.key === '0') set(0, 0, 1);
    else return;
    event.preventDefault();
  });
};

all('figure').forEach(figure => {
  const grid = grids.get(figure.querySelector('.table'));
  const heads = grid ? all('th[scope=col]', grid.table).map(head => head.dataset.head ?? head.textContent) : [];
  all('.chart', figure).forEach(chart => {
    const svg = chart.querySelector('svg');
    if (!svg) return;
    const key = chart.classList.contains('phone') ? 'p' : 'w';
    const placed = grid ? grid.rows.filter(({data}) => data[key]) : [];
    listen(figure, svg, placed.map(({cells, data}) => ({cells, field: data[key].split(' ').map(Number)})), heads);
    if (figure.classList.contains('zooms')) zoom(chart, svg);
  });
});
})();
