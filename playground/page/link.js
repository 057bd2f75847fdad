// A link is an experiment: the name and the text of a scenario in the address, as #name=text, where the text is
// deflated and in base 64 with the letters of addresses.
'use strict';

const link = (() => {
  const through = async (bytes, stream) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

  function letters(bytes) {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  const bytesOf = letters =>
    Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

  /** The part of the address after and with the #. */
  async function written(name, text) {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    return `#${encodeURIComponent(name)}=${letters(bytes)}`;
  }

  /** The name and the text of an address; nothing where it has none. Fails where the text is damaged. */
  async function read(hash) {
    const parts = /^#([^=]+)=([\w-]+)$/.exec(hash);
    if (!parts) return null;
    const bytes = await through(bytesOf(parts[2]), new DecompressionStream('deflate-raw'));
    return { name: decodeURIComponent(parts[1]), text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  }

  return { written, read };
})();
