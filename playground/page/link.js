// A link is an experiment: the name and the text of a scenario in the address, as #name=text, where the text is
// deflated and in base 64 with the letters of addresses.
'use strict';

const link = (() => {
  /** The most bytes of a scenario in a link: a short address can hold a text that fills the memory. */
  const MOST = 1 << 20;
  const TOO_LONG = `The scenario is too long for a link: one holds ${MOST / 1024} KiB at most.`;

  async function through(bytes, stream) {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    const parts = [];
    let length = 0;
    // What is not read is not made.
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      length += value.length;
      if (length > MOST) {
        reader.cancel();
        throw new RangeError(TOO_LONG);
      }
      parts.push(value);
    }
  }

  function letters(bytes) {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  const bytesOf = letters =>
    Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

  /** The part of the address after and with the #. Fails with a RangeError where the text is too long. */
  async function written(name, text) {
    const plain = new TextEncoder().encode(text);
    if (plain.length > MOST) throw new RangeError(TOO_LONG);
    const bytes = await through(plain, new CompressionStream('deflate-raw'));
    return `#${encodeURIComponent(name)}=${letters(bytes)}`;
  }

  /** The name and the text of an address; nothing where it has none. Fails where the text is damaged or too long. */
  async function read(hash) {
    const parts = /^#([^=]+)=([\w-]+)$/.exec(hash);
    if (!parts) return null;
    const bytes = await through(bytesOf(parts[2]), new DecompressionStream('deflate-raw'));
    return { name: decodeURIComponent(parts[1]), text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  }

  return { written, read };
})();
