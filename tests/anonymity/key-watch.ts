// Records what the keys of the server make, so that a test finds their outputs in the database, also those of keys that
// no one has told it of.
import crypto, { type BinaryLike, type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** An output of a key: an HMAC, an encrypted value, or a hash of one of them. */
export interface Output {
  /** The secret that the key is derived from. */
  secret: string;
  /** What the key is for, such as 'read mark ids'. Keys that are derived from another one have both names. */
  key: string;
  kind: 'hmac' | 'hash' | 'encrypted';
  /** What it was computed from. */
  readonly input: string;
}

/** The name that stands for the key of a hash, because a hash can be of outputs of several keys. */
export const hashesOfOutputs = 'hashes of outputs';

interface FoundOutput {
  /** The characters that identify it. */
  id: string;
  output: Output;
}

export interface KeyWatch {
  /** The names of all keys that were derived from the secret so far. */
  listWatchedKeys(secret: string): string[];
  /** Whether the key was derived from a secret. */
  knows(key: KeyObject | string): boolean;
  findIn(text: string): FoundOutput[];
  /** The text with each output replaced. `length` is that of the characters around it that are one value. */
  replaceIn(text: string, replace: (output: Output, length: number) => string): string;
  /** The input, and the inputs of the outputs in it. */
  traceInputs(output: Output): string;
  stop(): void;
}

/** Enough to identify an output: ids are cut to 16 characters, and the nonce of an encrypted value has as many. */
const idLength = 16;
const runs = /[\w-]{16,}/g;
/** Inputs of pictures are not kept. */
const maxInputLength = 8192;

/** Watches node:crypto for the whole process. */
export function watchKeys(): KeyWatch {
  const { createHmac, createHash, createCipheriv, hash, hkdfSync } = crypto;
  const keys = new Map<string, { secret: string; key: string }>();
  /** The outputs by what identifies them, and by secret. */
  const outputs = new Map<string, Map<string, Output>>();

  const toBase64 = (key: unknown): string => {
    if (typeof key === 'string') return Buffer.from(key).toString('base64');
    if (key instanceof crypto.KeyObject) return key.export().toString('base64');
    return Buffer.from(key as Uint8Array).toString('base64');
  };

  function findIn(text: string): FoundOutput[] {
    const foundOutputs: FoundOutput[] = [];
    for (const [run] of text.matchAll(runs)) {
      for (let start = 0; start + idLength <= run.length; start++) {
        const id = run.slice(start, start + idLength);
        for (const output of outputs.get(id)?.values() ?? []) foundOutputs.push({ id, output });
      }
    }
    return foundOutputs;
  }

  function add(id: string, output: Output): void {
    outputs.set(id, (outputs.get(id) ?? new Map<string, Output>()).set(output.secret, output));
  }

  function record(bytes: Buffer, output: Output): void {
    for (const encoding of ['base64url', 'hex'] as const) {
      add(bytes.toString(encoding).slice(0, idLength), output);
    }
  }

  /** A hash of an output is a function of its key as well. */
  function recordHash(bytes: Buffer, input: string): void {
    if (input.length > maxInputLength) return;
    for (const { output } of findIn(input)) {
      record(bytes, { secret: output.secret, key: hashesOfOutputs, kind: 'hash', input });
    }
  }

  /** Collects what the object is updated with. */
  function collectInput<Target extends { update(...data: never[]): unknown }>(target: Target) {
    const parts: string[] = [];
    const update = target.update.bind(target) as (...data: unknown[]) => unknown;
    Object.assign(target, {
      update(...data: unknown[]) {
        parts.push(Buffer.from(data[0] as string).toString('utf8'));
        return update(...data);
      },
    });
    return () => parts.join('').slice(0, maxInputLength + 1);
  }

  /** Calls `onDigest` with the digest and the input. */
  function watchDigest(
    target: crypto.Hash | crypto.Hmac,
    onDigest: (bytes: Buffer, input: string) => void,
  ): void {
    const input = collectInput(target as { update(...data: never[]): unknown });
    const digest = target.digest.bind(target);
    Object.assign(target, {
      digest(encoding?: crypto.BinaryToTextEncoding) {
        const bytes = digest();
        onDigest(bytes, input());
        return encoding ? bytes.toString(encoding) : bytes;
      },
    });
  }

  const watched = {
    hkdfSync(...args: Parameters<typeof hkdfSync>) {
      const derived = hkdfSync(...args);
      const [, from, , purpose] = args;
      const name = Buffer.from(purpose as string).toString();
      // Only the secret of the server is a text.
      const knownKey =
        typeof from === 'string' ? { secret: from, key: '' } : keys.get(toBase64(from));
      if (knownKey) {
        const key = [knownKey.key, name].filter(Boolean).join(' / ');
        const bytes = Buffer.from(derived);
        keys.set(toBase64(bytes), { secret: knownKey.secret, key });
        // The key of cookies is a text.
        keys.set(toBase64(bytes.toString('base64url')), { secret: knownKey.secret, key });
      }
      return derived;
    },
    createHmac(...args: Parameters<typeof createHmac>) {
      const hmac = createHmac(...args);
      const knownKey = keys.get(toBase64(args[1]));
      if (knownKey) {
        watchDigest(hmac, (bytes, input) => record(bytes, { ...knownKey, kind: 'hmac', input }));
      }
      return hmac;
    },
    createHash(...args: Parameters<typeof createHash>) {
      const created = createHash(...args);
      watchDigest(created, recordHash);
      return created;
    },
    hash(algorithm: string, data: BinaryLike, encoding: crypto.BinaryToTextEncoding = 'hex') {
      const digest = hash(algorithm, data, encoding);
      if (typeof data === 'string') recordHash(Buffer.from(digest, encoding), data);
      return digest;
    },
    createCipheriv(...args: Parameters<typeof createCipheriv>) {
      const cipher = createCipheriv(...args);
      const [, key, nonce] = args;
      const knownKey = keys.get(toBase64(key));
      if (!knownKey) return cipher;
      const input = collectInput(cipher as { update(...data: never[]): unknown });
      const id = Buffer.from(nonce as Uint8Array)
        .toString('base64url')
        .slice(0, idLength);
      add(id, {
        ...knownKey,
        kind: 'encrypted',
        get input() {
          return input().trimEnd();
        },
      });
      return cipher;
    },
  };
  const original = { createHmac, createHash, createCipheriv, hash, hkdfSync };
  Object.assign(crypto, watched);
  syncBuiltinESMExports();

  return {
    listWatchedKeys: (wantedSecret) => [
      ...new Set(
        [...keys.values()].filter(({ secret }) => secret === wantedSecret).map(({ key }) => key),
      ),
    ],
    knows: (key) => keys.has(toBase64(key)),
    findIn,
    replaceIn: (text, replace) =>
      text.replace(runs, (run) => {
        const [foundOutput] = findIn(run);
        if (!foundOutput) return run;
        const start = run.indexOf(foundOutput.id);
        // What follows is the rest of the same output.
        return run.slice(0, start) + replace(foundOutput.output, run.length - start);
      }),
    traceInputs(output) {
      const traced = new Set([output]);
      for (const outer of traced) for (const inner of findIn(outer.input)) traced.add(inner.output);
      return [...traced].map(({ input }) => input).join('\n');
    },
    stop() {
      Object.assign(crypto, original);
      syncBuiltinESMExports();
    },
  };
}
