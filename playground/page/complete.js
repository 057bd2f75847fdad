// What can stand at the cursor, by the JSON schema: keys of the table, names that a key may have.
'use strict';

const complete = (() => {
  const HEADER = /^[ \t]*\[\[?([^\]\n]+)\]\]?[ \t]*(?:#.*)?$/gm;
  const ITEM = '*';
  /** So many tables and lists within each other have no completion: a scenario has a dozen. */
  const DEEPEST = 64;

  /** The parts of a dotted key, without quotes. */
  function parts(key) {
    const found = key.match(/"[^"]*"|'[^']*'|[^.\s"']+/g) ?? [];
    return found.map(part => part.replace(/^["']|["']$/g, ''));
  }

  /** The tables that headers begin: where their keys start and end, and their paths. */
  function tables(text) {
    const found = [{ start: 0, path: [] }];
    for (const header of text.matchAll(HEADER)) {
      const last = found.at(-1);
      last.end = header.index;
      const path = parts(header[1]);
      if (header[0].trim().startsWith('[[')) path.push(ITEM);
      found.push({ start: header.index + header[0].length, path });
    }
    found.at(-1).end = text.length;
    return found;
  }

  /** The names that keys have in a stretch of text. */
  function named(text) {
    return Object.fromEntries([...text.matchAll(/(?<![\w-])([\w-]+)\s*=\s*"([^"\n]*)"/g)].map(pair => [pair[1], pair[2]]));
  }

  /** The keys that a table has already. */
  function present(text, { start, end }) {
    return new Set([...text.slice(start, end).matchAll(/(?:^|[{,])[ \t]*([\w-]+)[ \t]*=/gm)].map(key => key[1]));
  }

  /** The table, the key and the word at the cursor; nothing in a comment. */
  function context(text, at) {
    const table = tables(text).findLast(table => table.start <= at);
    if (at > table.end) return null;
    const frames = [{ kind: 'table', path: table.path, start: table.start, end: table.end }];
    let [key, mode, word, start] = [[], 'key', '', at];
    for (let i = table.start; i < at;) {
      const c = text[i], top = frames.at(-1);
      [word, start] = ['', at];
      if (c === '#') {
        const end = text.indexOf('\n', i);
        if (end < 0 || end >= at) return null;
        i = end;
      } else if (c === '"' || c === "'") {
        const quote = text.startsWith(c.repeat(3), i) ? c.repeat(3) : c;
        let end = text.indexOf(quote, i + quote.length);
        if (end < 0) end = text.length;
        if (end >= at || (quote.length === 1 && text.slice(i, end).includes('\n'))) {
          if (quote.length === 3 || text.slice(i, at).includes('\n')) return null;
          return { frames, key, mode, word: text.slice(i + 1, at), start: i + 1, quote: c };
        }
        if (mode === 'key') key.push(text.slice(i + 1, end));
        i = end + quote.length;
      } else if (/[\w.+-]/.test(c)) {
        let end = i;
        while (end < at && /[\w.+-]/.test(text[end])) end++;
        [word, start] = [text.slice(i, end), i];
        if (mode === 'key' && end < at) key.push(...parts(word));
        i = end;
      } else {
        if (c === '=') mode = 'value';
        else if (c === '{' || c === '[') {
          const path = mode === 'value' && top.kind !== '[' ? [...top.path, ...key] : [...top.path];
          if (c === '[') path.push(ITEM);
          if (frames.length > DEEPEST) return null;
          frames.push({ kind: c, path, start: i, end: Math.max(at, (text.indexOf('}', at) + 1 || at) - 1) });
          [key, mode] = [[], c === '{' ? 'key' : 'value'];
        } else if ((c === '}' || c === ']') && frames.length > 1) {
          frames.pop();
          mode = frames.at(-1).kind === '[' ? 'value' : 'done';
        } else if ((c === ',' && top.kind === '{') || (c === '\n' && top.kind === 'table')) [key, mode] = [[], 'key'];
        i++;
      }
    }
    return { frames, key, mode, word, start, quote: '' };
  }

  /** A walk down the schema, through references and alternatives. `names` tells which alternatives are meant. */
  function walker(schema, names) {
    const isMeant = (alternative, given) => Object.entries(alternative.properties ?? {}).every(([key, value]) => {
      const known = value.const !== undefined ? [value.const] : value.enum;
      return !known || given[key] === undefined || known.includes(given[key]);
    });

    function flat(node, given, found = []) {
      if (!node || typeof node !== 'object') return found;
      if (node.$ref) flat(node.$ref.split('/').slice(1).reduce((at, part) => at[part], schema), given, found);
      for (const part of node.allOf ?? []) flat(part, given, found);
      const alternatives = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
      const fitting = alternatives.filter(one => isMeant(one, given));
      const meant = fitting.length ? fitting : alternatives;
      // What is common to some alternatives stands beside them, and each names those of these keys that it has.
      const isClosed = meant.length > 0 && meant.every(one => one.additionalProperties === false);
      const own = Object.entries(node.properties ?? {});
      const properties = isClosed ? own.filter(([key]) => meant.some(one => key in (one.properties ?? {}))) : own;
      found.push({ ...node, properties: Object.fromEntries(properties) });
      for (const one of meant) flat(one, given, found);
      return found;
    }

    /** All that the schema says of what stands at a path. */
    return path => {
      let nodes = flat(schema, names(''));
      path.forEach((part, depth) => {
        const given = names(path.slice(0, depth + 1).join('.'));
        const next = node => part === ITEM ? node.items : node.properties?.[part] ?? node.additionalProperties;
        nodes = nodes.flatMap(node => flat(next(node), given));
      });
      return nodes;
    };
  }

  /** In a sweep, keys are paths from the top of the scenario, and their values are listed. */
  function swept(path) {
    if (path[0] !== 'sweep') return path;
    const rest = path.slice(path[1] === ITEM ? 2 : 1).filter(part => part !== ITEM);
    return rest.length ? rest.flatMap(parts) : path;
  }

  function keys(nodes, prefix) {
    const found = new Map();
    for (const [key, value] of nodes.flatMap(node => Object.entries(node.properties ?? {}))) {
      const about = value.description ?? found.get(key)?.about;
      if (key.startsWith(prefix)) found.set(key, { text: key, about });
    }
    return [...found.values()];
  }

  function values(nodes, prefix) {
    const found = new Map();
    for (const node of nodes) {
      for (const value of node.const !== undefined ? [node.const] : node.enum ?? []) {
        const about = node.const !== undefined ? node.description : undefined;
        if (String(value).startsWith(prefix)) found.set(value, { text: String(value), isText: typeof value === 'string', about });
      }
      if (node.type === 'boolean') for (const text of ['true', 'false']) found.set(text, { text });
    }
    return [...found.values()];
  }

  /** What can stand at a place of a text: from where to where, and the items; nothing where nothing is known. */
  return (schema, text, at) => {
    const here = context(text, at);
    if (!here || here.mode === 'done') return null;
    const own = here.frames.at(-1);
    const given = {};
    for (const table of tables(text)) Object.assign(given[table.path.join('.')] ??= {}, named(text.slice(table.start, table.end)));
    if (own.kind === '{') given[own.path.join('.')] = named(text.slice(own.start, own.end));
    // The value at the cursor says nothing yet.
    delete given[own.path.join('.')]?.[here.key.at(-1)];
    const found = walker(schema, path => given[path] ?? {});
    const isSweep = own.path[0] === 'sweep' && own.path.filter(part => part !== ITEM).length === 1;
    let items;
    if (here.mode === 'key') {
      const before = [...here.key, ...here.word.split('.')];
      const last = before.pop();
      here.start += here.word.length - last.length;
      here.word = last;
      const path = isSweep && here.quote ? before : [...own.path, ...before];
      const isThere = key => !here.quote && before.length === 0 && present(text, own).has(key);
      items = keys(found(path), last).filter(item => !isThere(item.text)).map(item => ({ ...item, insert: here.quote ? item.text : `${item.text} = ` }));
    } else {
      const path = swept(own.kind === '[' ? own.path : [...own.path, ...here.key]);
      const quoted = item => item.isText && !here.quote ? `"${item.text}"` : item.text;
      items = values(found(path), here.word).map(item => ({ ...item, insert: quoted(item) }));
    }
    return items.length ? { from: here.start, to: at, items } : null;
  };
})();
