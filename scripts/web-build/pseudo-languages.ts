// Languages that show faults of the layout: `en-XA` has accents and is 40 % longer, `ar-XB` runs from right to left. They are
// made from the English texts, only for development and tests.
import type { Message } from '../../src/contract/message-format.ts';
import {
  isTag,
  loadCatalogue,
  type Catalogue,
  type pseudoLanguages,
} from '../../src/server/base/catalogues.ts';

const plain = 'AaBCcDdEeGgHhIiJjKkLlNnOoPRrSsTtUuWwYyZz';
const accented = 'ÅåßÇçÐðÉéĜĝĤĥÎîĴĵĶķĻļÑñÖöÞŔŕŠšŢţÛûŴŵÝýŽž';

const transforms = {
  'en-XA': (text: string) => {
    const letters = text.replace(/[a-z]/gi, (letter) => accented[plain.indexOf(letter)] ?? letter);
    return /\w/.test(text) ? `${letters}${'~'.repeat(Math.ceil(text.length * 0.4))}` : text;
  },
  // Each word runs from right to left, whatever its letters are.
  'ar-XB': (text: string) => text.replace(/\w[\w'’-]*/g, '\u202e$&\u202c'),
};

export function loadPseudoCatalogue(language: (typeof pseudoLanguages)[number]): Catalogue {
  const { texts } = loadCatalogue('en');
  const change = (message: Message) => changeTexts(message, transforms[language]) as Message;
  return {
    language,
    texts: new Map([...texts].map(([key, message]) => [key, change(message)])),
    isReviewed: true,
  };
}

/** Changes the texts of a compiled message, but no names of values. */
function changeTexts(message: unknown, change: (text: string) => string): unknown {
  if (typeof message === 'string') return change(message);
  if (!Array.isArray(message)) return message;
  return message.map((node: unknown) => {
    if (!Array.isArray(node)) return changeTexts(node, change);
    const [name, type, options] = node as [string, unknown, unknown];
    if (type === undefined) return node;
    if (isTag(type)) return [name, ...(changeTexts(node.slice(1), change) as unknown[])];
    const branches = Object.entries(options ?? {}).map(([key, branch]) => [
      key,
      changeTexts(branch, change),
    ]);
    return [name, type, ...(options === undefined ? [] : [Object.fromEntries(branches)])];
  });
}
