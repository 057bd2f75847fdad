// An editor: a text area over a painted copy of its text, with line numbers, underlined problems and completion.
'use strict';

/** Makes the editor in an element. `changed` is called after each change, `complete(text, at)` gives what can stand there. */
function makeEditor(element, { changed, complete }) {
  element.innerHTML = '<pre class="gutter" aria-hidden="true"></pre><div class="sheet"><pre class="paint" aria-hidden="true">'
    + '</pre><textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" aria-label="Scenario in TOML">'
    + '</textarea><ul class="choices" role="listbox" hidden></ul></div>';
  const [gutter, paint, area, list] = ['.gutter', '.paint', 'textarea', '.choices'].map(name => element.querySelector(name));
  let problems = [], choices = null, chosen = 0;

  const escaped = text => text.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);

  /** A stretch of the text, cut where a problem begins or ends. */
  function marked(text, from, to) {
    const inside = problems.filter(problem => problem.from < to && problem.to > from);
    const cuts = [...new Set([from, to, ...inside.flatMap(problem => [problem.from, problem.to])])]
      .filter(cut => cut >= from && cut <= to).sort((a, b) => a - b);
    return cuts.slice(1).map((end, number) => {
      const start = cuts[number];
      const part = escaped(text.slice(start, end));
      return inside.some(problem => problem.from < end && problem.to > start) ? `<u>${part}</u>` : part;
    }).join('');
  }

  function show() {
    const text = area.value;
    paint.innerHTML = stretches(text).map(([from, to, kind]) =>
      kind ? `<span class="${kind}">${marked(text, from, to)}</span>` : marked(text, from, to)).join('') + '\n';
    const wrong = new Set(problems.map(problem => problem.line));
    gutter.innerHTML = text.split('\n').map((_, line) =>
      wrong.has(line + 1) ? `<b>${line + 1}</b>` : line + 1).join('\n') + '\n';
  }

  /** The place so many characters behind another, or the end of the text; a character has one or two units. */
  const behind = (text, from, count) => from + [...text.slice(from, from + 2 * count)].slice(0, count).join('').length;

  /** The place in the text of a line and a column, both from 1; a column counts characters. */
  function place(text, line, column) {
    let start = 0;
    for (let number = 1; number < line; number++) start = text.indexOf('\n', start) + 1 || text.length;
    return behind(text, start, column - 1);
  }

  function close() {
    choices = null;
    list.hidden = true;
    area.removeAttribute('aria-activedescendant');
  }

  function choose(number) {
    chosen = (number + choices.items.length) % choices.items.length;
    [...list.children].forEach((item, own) => item.setAttribute('aria-selected', own === chosen));
    const item = list.children[chosen];
    list.scrollTop = Math.max(item.offsetTop + item.offsetHeight - list.clientHeight, Math.min(list.scrollTop, item.offsetTop));
    area.setAttribute('aria-activedescendant', item.id);
  }

  function offer() {
    close();
    if (area.selectionStart !== area.selectionEnd) return;
    const found = complete(area.value, area.selectionStart);
    const typed = found && area.value.slice(found.from, found.to);
    if (!found || (found.items.length === 1 && found.items[0].text === typed)) return;
    choices = found;
    list.innerHTML = found.items.map((item, number) =>
      `<li role="option" id="choice-${number}"><b>${escaped(item.text)}</b> ${escaped(item.about ?? '')}</li>`).join('');
    const before = area.value.slice(0, found.from).split('\n');
    const style = getComputedStyle(area);
    list.style.top = `calc(${before.length} * ${style.lineHeight} + ${style.paddingTop})`;
    list.style.left = `min(${before.at(-1).length}ch, 100% - 19rem)`;
    list.hidden = false;
    choose(0);
  }

  function accept() {
    const { from, to, items } = choices;
    area.setSelectionRange(from, to);
    // Unlike an assignment to the value this can be undone.
    document.execCommand('insertText', false, items[chosen].insert);
    close();
  }

  area.addEventListener('input', event => {
    problems = [];
    show();
    changed();
    const typed = event.inputType === 'insertText' && /^[\w".]$/.test(event.data ?? '');
    if (typed || (choices && event.inputType === 'deleteContentBackward')) offer();
    else close();
  });
  area.addEventListener('keydown', event => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      offer();
    } else if (choices && !event.ctrlKey) {
      const moves = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in moves) choose(chosen + moves[event.key]);
      else if (event.key === 'Enter' || event.key === 'Tab') accept();
      else if (event.key === 'Escape') close();
      else if (/^(Arrow|Home|End|Page)/.test(event.key)) return close();
      else return;
      event.preventDefault();
    }
  });
  area.addEventListener('blur', close);
  area.addEventListener('pointerdown', close);
  list.addEventListener('pointerdown', event => {
    event.preventDefault();
    const item = event.target.closest('li');
    if (!item) return;
    choose([...list.children].indexOf(item));
    accept();
  });

  return {
    get text() { return area.value; },
    set text(text) {
      area.value = text;
      problems = [];
      close();
      show();
      element.scrollTo(0, 0);
      area.setSelectionRange(0, 0);
    },
    /** Underlines problems: each with line, column and length. */
    mark(found) {
      const text = area.value;
      problems = found.filter(problem => problem.line && !problem.file).map(problem => {
        const from = place(text, problem.line, problem.column);
        return { from, to: behind(text, from, Math.max(problem.length, 1)), line: problem.line };
      });
      show();
    },
    /** Puts the cursor at a place. */
    go(line, column) {
      const at = place(area.value, line, column);
      area.focus();
      area.setSelectionRange(at, at);
      element.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(area).lineHeight));
    },
  };
}
