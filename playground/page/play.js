// The page: a scenario in the editor, its problems, its runs, its report. The simulator is in workers (worker.js).
'use strict';

const at = name => document.getElementById(name);
const CHECK_AFTER_MS = 250;

/** The results on the page, for those who look at it from outside: files by their paths. */
const play = { files: {}, name: 'scenario' };

let simulator, shipped, schema, editor, checker, runner;

/** A worker with the simulator. `ask` answers once; `end` ends it, and whatever it does. */
function makeWorker(progress) {
  const worker = new Worker('worker.js');
  const waiting = new Map();
  let last = 0;
  const fail = message => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  worker.onmessage = ({ data }) => {
    if (data.panic) fail(`hetsim has a bug, please report it: ${data.panic}`);
    else if (data.all !== undefined) progress?.(data.ended, data.all);
    else {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) asked?.reject(new Error(data.error));
      else asked?.resolve(data.answer);
    }
  };
  worker.onerror = event => fail(event.message ?? 'the simulator cannot be started');
  worker.postMessage({ module: simulator, files: shipped.files });
  return {
    ask: (what, text) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, what, name: play.name, text });
    }),
    end: () => worker.terminate(),
  };
}

function say(text) {
  at('status').textContent = text;
}

/** Shows the problems below the editor and in it. */
function showProblems(problems) {
  editor.mark(problems);
  const list = at('problems');
  list.hidden = problems.length === 0;
  list.replaceChildren(...problems.map(problem => {
    const item = document.createElement('li');
    if (problem.line) {
      const place = document.createElement(problem.file ? 'span' : 'button');
      place.className = 'place';
      place.textContent = `${problem.file ? `${problem.file}, line` : 'Line'} ${problem.line}, column ${problem.column}`;
      place.onclick = problem.file ? null : () => editor.go(problem.line, problem.column);
      item.append(place, ' ');
    }
    item.append(problem.message);
    if (problem.help) {
      const help = document.createElement('span');
      help.className = 'help';
      help.textContent = problem.help;
      item.append(' ', help);
    }
    return item;
  }));
}

/** Checks the text as it is now; answers that come late are dropped. */
async function check() {
  const text = editor.text;
  checker ??= makeWorker();
  try {
    const problems = await checker.ask('check', text);
    if (editor.text === text) showProblems(problems);
  } catch (error) {
    checker.end();
    checker = undefined;
    showProblems([{ message: error.message }]);
  }
}

let later;

function changed() {
  clearTimeout(later);
  later = setTimeout(async () => {
    const text = editor.text;
    // A text that is too long has an address without a link.
    const hash = await link.written(play.name, text).catch(() => location.pathname);
    if (editor.text === text) history.replaceState(null, '', hash);
    check();
  }, CHECK_AFTER_MS);
}

function setState(state) {
  document.body.dataset.state = state;
  const isRunning = state === 'running';
  for (const name of ['open', 'run', 'copy']) at(name).disabled = isRunning;
  at('stop').disabled = !isRunning;
  at('progress').hidden = !isRunning;
  if (isRunning) at('progress').removeAttribute('value');
}

const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** A duration with three digits. */
const seconds = time => time < 1 ? `${Number((1000 * time).toPrecision(3))} ms` : `${Number(time.toPrecision(3))} s`;

async function run() {
  if (document.body.dataset.state !== 'ready') return;
  setState('running');
  say('Running …');
  at('failure').hidden = true;
  const start = performance.now();
  runner = makeWorker((ended, all) => {
    say(`${ended} of ${plural(all, 'run')}`);
    Object.assign(at('progress'), { max: all, value: ended });
  });
  try {
    const answer = await runner.ask('run', editor.text);
    showAnswer(answer, (performance.now() - start) / 1000);
  } catch (error) {
    say('');
    showFailure(error.message);
  }
  runner.end();
  setState('ready');
}

function stop() {
  runner.end();
  setState('ready');
  say('Stopped. Results of a stopped run are not kept.');
}

function showFailure(message) {
  at('failure').textContent = message;
  at('failure').hidden = false;
}

function showAnswer(answer, took) {
  if (answer.problems) {
    showProblems(answer.problems);
    return say(`${plural(answer.problems.length, 'problem')}: see below the scenario.`);
  }
  if (answer.failure) {
    say('');
    return showFailure(answer.failure);
  }
  play.files = answer.files;
  const missed = answer.missed ? `, ${plural(answer.missed, 'expectation')} missed` : '';
  say(`${plural(answer.computed, 'run')} in ${seconds(took)}${missed}.`);
  const notes = answer.warnings.map(warning => `Warning: ${warning}.`);
  if (answer.failed.length) {
    const [first] = answer.failed;
    notes.push(`${plural(answer.failed.length, 'run')} failed, the first at point ${first.point}: ${first.reason}`);
  }
  if (notes.length) showFailure(notes.join(' '));
  showReport();
}

/** In the report, links to files ask this page for them; links within it need an address of their own. */
const IN_REPORT = `<base href="about:srcdoc"><script>addEventListener("click", event => {
  const link = event.target.closest("a[href]"), path = link && link.getAttribute("href");
  if (!link || path.startsWith("#")) return;
  event.preventDefault();
  parent.postMessage({ file: decodeURIComponent(path) }, "*");
})</script>`;

function showReport() {
  at('hint').hidden = true;
  at('report').hidden = false;
  at('report').srcdoc = play.files['report.html'].replace('<head>', `<head>${IN_REPORT}`);
  const files = at('files');
  files.hidden = false;
  files.replaceChildren('Download: ', ...Object.keys(play.files).map(path => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = path;
    button.onclick = () => download(path);
    return button;
  }));
}

function download(path) {
  if (!Object.hasOwn(play.files, path)) return;
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([play.files[path]]));
  anchor.download = `${play.name}-${path.split('/').at(-1)}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** Puts a scenario into the editor and runs it. */
function open({ name, text }) {
  play.name = name;
  document.title = `${name} – hetsim playground`;
  editor.text = text;
  showProblems([]);
  changed();
  return run();
}

function makeMenu() {
  at('menu').querySelector('ul').replaceChildren(...shipped.menu.map(scenario => {
    const [item, button, name] = ['li', 'button', 'b'].map(kind => document.createElement(kind));
    button.type = 'button';
    name.textContent = scenario.name;
    button.append(name, scenario.question);
    button.onclick = () => {
      at('menu').close();
      open(scenario);
    };
    item.append(button);
    return item;
  }));
}

async function copy() {
  let address;
  try {
    address = new URL(await link.written(play.name, editor.text), location.href).href;
  } catch (error) {
    return say(error.message);
  }
  history.replaceState(null, '', address);
  try {
    await navigator.clipboard.writeText(address);
    say('The link is copied.');
  } catch {
    say('The browser does not let this page copy: take the link from the address.');
  }
}

/** The scenario of the address, or the first of the menu. */
async function addressed() {
  try {
    const found = await link.read(location.hash);
    return found ?? shipped.menu[0];
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    showFailure(isTooLong ? error.message : 'The link is damaged: no scenario can be read from it.');
    return null;
  }
}

async function begin() {
  const fetched = path => fetch(path).then(answer => {
    if (!answer.ok) throw new Error(`${path}: ${answer.statusText}`);
    return answer;
  });
  editor = makeEditor(at('editor'), { changed, complete: (text, place) => schema && complete(schema, text, place) });
  [simulator, shipped] = await Promise.all([
    fetched('hetsim_bg.wasm').then(answer => answer.arrayBuffer()).then(bytes => WebAssembly.compile(bytes)),
    fetched('scenarios.json').then(answer => answer.json()),
  ]);
  makeMenu();
  at('open').onclick = () => at('menu').showModal();
  at('run').onclick = run;
  at('stop').onclick = stop;
  at('copy').onclick = copy;
  addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  addEventListener('message', ({ data, source }) => {
    if (source === at('report').contentWindow && typeof data.file === 'string') download(data.file);
  });
  addEventListener('hashchange', async () => {
    const found = await addressed();
    if (document.body.dataset.state === 'running') stop();
    if (found) open(found);
  });
  setState('ready');
  say('');
  const first = await addressed();
  // Not awaited: a run that is stopped never answers.
  if (first) open(first);
  checker ??= makeWorker();
  schema = await checker.ask('schema', '');
}

begin().catch(error => {
  say('');
  showFailure(`The page cannot be loaded: ${error.message}`);
});
