import { expect } from 'vitest';
import type { ServerProcess } from './server-process.ts';

/** Expects the server to exit with code 1 after one line that matches the reason. */
export async function expectStartRefused(server: ServerProcess, reason: RegExp): Promise<void> {
  expect(await server.ended).toBe(1);
  const lines = server.output().trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^Cannot start: /);
  expect(lines[0]).toMatch(reason);
}
