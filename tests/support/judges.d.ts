declare module 'commonmark-spec' {
  export const tests: readonly { number: number; markdown: string; html: string }[];
}

declare module 'vnu-jar' {
  /** The path of the program for Java. */
  const file: { toString(): string };
  export default file;
}
