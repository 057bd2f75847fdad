// A TOML text as stretches with the classes of their notation. Each character is looked at a few times, whatever the text:
// every alternative takes what it has looked at, so that the next one begins behind it.
'use strict';

const stretches = (() => {
  const TOKENS = new RegExp([
    /(#.*)/,
    // What is not closed goes on to the end of its line, or of the text.
    /("""(?:[^]*?"""|[^]*)|'''(?:[^]*?'''|[^]*)|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?)/,
    /(^[ \t]*\[\[?[^\]\n]+\]\]?)/,
    /([\w.-]+)(?=\s*=)/,
    /([\w.-]+)/,
  ].map(part => part.source).join('|'), 'gm');
  const CLASSES = ['comment', 'text', 'header', 'key', 'number'];
  const NUMBER = /^(?:true$|false$|-?\d)/;

  /** The stretches of a text: where each begins and ends, and its class. */
  return text => {
    const found = [];
    let at = 0;
    for (const token of text.matchAll(TOKENS)) {
      const kind = CLASSES[token.slice(1).findIndex(part => part !== undefined)];
      if (kind === 'number' && !NUMBER.test(token[0])) continue;
      found.push([at, token.index, '']);
      at = token.index + token[0].length;
      found.push([token.index, at, kind]);
    }
    found.push([at, text.length, '']);
    return found;
  };
})();
