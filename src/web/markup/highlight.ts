// Code in the colors of its language. Loaded with the first block of code that names one.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import haskell from 'highlight.js/lib/languages/haskell';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import latex from 'highlight.js/lib/languages/latex';
import matlab from 'highlight.js/lib/languages/matlab';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { createCache } from './cache.ts';

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  haskell,
  java,
  javascript,
  json,
  latex,
  matlab,
  python,
  r,
  rust,
  sql,
  typescript,
  xml,
};
for (const [name, define] of Object.entries(languages)) hljs.registerLanguage(name, define);

/** A part of the code, in the color of its scope. */
export interface Token {
  scope: Scope | null;
  children: readonly (Token | string)[];
}

export type Scope =
  | 'addition'
  | 'comment'
  | 'deletion'
  | 'keyword'
  | 'name'
  | 'number'
  | 'string'
  | 'type';

/** The names that highlight.js has for each scope. */
const namesOfScopes: Readonly<Record<Scope, string>> = {
  addition: 'addition',
  comment: 'comment meta quote',
  deletion: 'deletion',
  keyword: 'doctag keyword name selector-tag',
  name: 'attr attribute function property section selector-class selector-id title',
  number: 'literal number symbol',
  string: 'char code link regexp string',
  type: 'built_in class template-variable type variable',
};
const scopes = new Map(
  Object.entries(namesOfScopes).flatMap(([scope, names]) =>
    names.split(' ').map((name) => [name, scope as Scope] as const),
  ),
);

/** Some patterns of the languages take quadratic time in the length of a word or a gap. No real code has these. */
const slow = /[\w$]{200}|\s{200}|\S{1000}/;

/** More words without punctuation are no code either. C#'s pattern searches each of them for the call of a function. */
const maxWords = 100;

function isSlow(code: string): boolean {
  const runs = code.split(/[^\w\s]/);
  return slow.test(code) || runs.some((run) => run.split(/\s+/).length > maxWords);
}

const cache = createCache<string, Token | null>(100);

/** Null if the language is unknown, or if the code is written to be slow. */
export function highlight(code: string, language: string): Token | null {
  return cache.get(`${language}\n${code}`, () => parseTokens(code, language));
}

function parseTokens(code: string, language: string): Token | null {
  if (!hljs.getLanguage(language) || isSlow(code)) return null;
  // The emitter's tree has no public type. The HTML that the library also makes is not used.
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  return toToken((_emitter as unknown as { root: HighlightNode }).root);
}

/** A node of highlight.js. */
interface HighlightNode {
  scope?: string;
  children: (HighlightNode | string)[];
}

function toToken({ scope, children }: HighlightNode): Token {
  return {
    // A scope can have parts, as in 'title.function'.
    scope: scopes.get(scope?.split('.')[0] ?? '') ?? null,
    children: children.map((child) => (typeof child === 'string' ? child : toToken(child))),
  };
}
