// Values that identify a student, in every encoding in which they could leak.
import { createHash } from 'node:crypto';

/** The marks by name: 'email', 'address', ... */
export type Marks = Readonly<Record<string, string>>;

const hashes = [
  'md5',
  'sha1',
  'sha256',
  'sha384',
  'sha512',
  'sha3-256',
  'blake2b512',
  'blake2s256',
];
/** A prefix of a hash that is too long to match by chance: shortened hashes keep their start. */
const startOfHash = 12;

/** Each encoding by its name. */
export function listForms(mark: string): Map<string, string> {
  const bytes = Buffer.from(mark);
  const forms = new Map([
    ['plain', mark],
    ['small letters', mark.toLowerCase()],
    ['capitals', mark.toUpperCase()],
    ['backwards', Array.from(mark).toReversed().join('')],
    ['URL', encodeURIComponent(mark)],
    ['JSON', JSON.stringify(mark).slice(1, -1)],
    ['JSON, escaped', Array.from(mark, escapeLetter).join('')],
    ['HTML', Array.from(mark, (letter) => `&#${letter.charCodeAt(0)};`).join('')],
    ['UTF-16', Buffer.from(mark, 'utf16le').toString('latin1')],
    ['hex', bytes.toString('hex')],
    ['hex, capitals', bytes.toString('hex').toUpperCase()],
  ]);
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const offset of [0, 1, 2]) {
      forms.set(`${encoding} at ${offset}`, encodeInside(bytes, offset, encoding));
    }
  }
  for (const name of hashes) {
    for (const [variant, text] of [
      ['', mark],
      [' of small letters', mark.toLowerCase()],
    ] as const) {
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const digest = createHash(name).update(text).digest(encoding);
        forms.set(`${name}${variant}, ${encoding}`, digest.slice(0, startOfHash));
      }
    }
  }
  return forms;
}

/** The part of the mark's base64 that does not depend on neighboring bytes. */
function encodeInside(bytes: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString(encoding);
  const lengthWithoutEnd = Math.floor(((bytes.length + offset) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), lengthWithoutEnd);
}

function escapeLetter(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The marks that the text contains, such as 'email (sha256, hex)'. */
export function findMarks(marks: Marks, content: string): string[] {
  return Object.entries(marks).flatMap(([name, mark]) =>
    [...listForms(mark)]
      .filter(([, text]) => content.includes(text))
      .map(([form]) => `${name} (${form})`),
  );
}
