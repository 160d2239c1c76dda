// Starts several nodes on one database and one Redis. Each node is a process with a separate data folder.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTestedServer, type Preload, type TestedServer } from '#tests/faults/server.ts';
import { findFreePort } from '../find-free-port.ts';

export interface NodesOptions {
  /** A folder that exists: an empty one, or that of earlier nodes. The nodes share its subfolder `images`. */
  folder: string;
  count: number;
  /** The addresses by which each node reaches PostgreSQL and Redis. */
  engines(node: number): { databaseUrl: string; redisUrl: string };
  /** The address that browsers use. By default it is the address of the first node. */
  publicUrl?: string;
  settings?: Readonly<Record<string, string>>;
  withWeb?: boolean;
  preload?(node: number): Preload | undefined;
}

/** Starts the nodes. Resolves when all nodes listen. The nodes end when this process ends. */
export async function startNodes(options: NodesOptions): Promise<TestedServer[]> {
  const { folder, count, engines, settings = {}, withWeb = false } = options;
  const images = join(folder, 'images');
  mkdirSync(images, { recursive: true, mode: 0o700 });
  const { SECRET_KEY = randomBytes(32).toString('base64url') } = settings;
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await findFreePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const nodes = ports.map((port, node) => {
    const dataDir = join(folder, `node-${node + 1}`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(join(dataDir, 'images'))) symlinkSync(images, join(dataDir, 'images'));
    const { databaseUrl, redisUrl } = engines(node);
    const nodeSettings = {
      ...settings,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      SECRET_KEY,
      PUBLIC_URL: options.publicUrl ?? `http://127.0.0.1:${ports[0]}`,
    };
    return createTestedServer(dataDir, port, nodeSettings, withWeb ? 'node with web' : 'node');
  });
  await Promise.all(nodes.map((node, i) => node.start(options.preload?.(i))));
  return nodes;
}
