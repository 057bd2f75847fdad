// The simulator, in a thread of its own: the page stays responsive, and ending the worker ends a run.
'use strict';

importScripts('hetsim.js');

self.hetsimProgress = (ended, all) => postMessage({ ended, all });
self.hetsimPanicked = message => postMessage({ panic: message });

let ready;

async function begin(module, files) {
  await wasm_bindgen({ module_or_path: module });
  const encoder = new TextEncoder();
  for (const [path, text] of Object.entries(files)) wasm_bindgen.carry(path, encoder.encode(text));
}

function answer({ what, name, text }) {
  switch (what) {
    case 'schema': return wasm_bindgen.schema();
    case 'check': return wasm_bindgen.check(name, text);
    case 'run': return wasm_bindgen.run(name, text);
  }
  throw new Error(`unknown: ${what}`);
}

self.onmessage = async ({ data }) => {
  try {
    if (data.module) {
      ready = begin(data.module, data.files);
      return;
    }
    await ready;
    postMessage({ id: data.id, answer: JSON.parse(answer(data)) });
  } catch (error) {
    postMessage({ id: data.id, error: String(error) });
  }
};
