import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#server/config/config.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { loadDockerfile } from './dockerfile.ts';

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  env_file?: string;
  environment?: Record<string, string | number>;
  command?: string[];
  healthcheck?: { test: string[] };
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  cap_drop?: string[];
  security_opt?: string[];
  tmpfs?: string;
  mem_limit?: string;
  pids_limit?: number;
  ulimits?: Record<string, number>;
  restart?: string;
}

interface Overlay {
  services: Record<
    string,
    Service & { extends?: { file: string; service: string }; user?: string }
  >;
  volumes: Record<string, unknown>;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean } | null>;
}

const text = readFileSync(join(projectRoot, 'deploy/compose.yaml'), 'utf8');
const compose = parse(text) as Compose;
const services = Object.entries(compose.services);
const app = compose.services['app']!;

/** Inserts the values of .env, as Compose does. A missing value is an error. */
function interpolate(value: string | number, values: Readonly<Record<string, string>>): string {
  return String(value).replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => {
    const setting = values[name];
    if (!setting) throw new Error(`${name} is missing in deploy/.env`);
    return setting;
  });
}

test('the Compose file pins every image by its digest, except the one that is built here [DEPLOY-1, DEPLOY-4]', () => {
  const pin = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
  for (const [name, { image, build }] of services) {
    if (build) expect(`${build.context}/${build.dockerfile}`).toBe('../deploy/Dockerfile');
    else expect(image, name).toMatch(pin);
  }

  const instructions = loadDockerfile();
  const bases = instructions.filter(({ name }) => name === 'FROM').map((base) => base.text);
  expect(bases).toEqual(['${NODE_IMAGE} AS build', '${NODE_IMAGE}']);
  const nodeImage = instructions.find(({ name }) => name === 'ARG')?.text;
  expect(nodeImage?.replace('NODE_IMAGE=', '')).toMatch(pin);
});

test('the Compose file has no secret, and Compose does not start without one [DEPLOY-4]', () => {
  const secret = /PASSWORD|SECRET|KEY|TOKEN|DATABASE_URL/;
  const settings = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
  const secrets = settings.filter(([name]) => secret.test(name));

  expect(secrets.length).toBeGreaterThan(2);
  for (const [name, value] of secrets) expect(value, name).toMatch(/\$\{\w+:\?is missing/);
  expect(readFileSync(join(projectRoot, '.gitignore'), 'utf8').split('\n')).toContain(
    '/deploy/.env',
  );
});

test('the Compose file gives the server valid settings [DEPLOY-4]', () => {
  const values = {
    PUBLIC_URL: 'https://chat.university.edu',
    POSTGRES_PASSWORD: 'a1b2c3d4',
    SECRET_KEY: 'x'.repeat(44),
  };
  const environment = Object.entries(app.environment!).map(
    ([name, value]) => [name, interpolate(value, values)] as const,
  );
  // The file .env is given to the server, too.
  const config = loadConfig({ ...values, ...Object.fromEntries(environment) });

  expect(config).toMatchObject({ trustedProxies: 1, database: { kind: 'postgres' } });

  const { hostname, username, password, pathname } = new URL(
    config.database.kind === 'postgres' ? config.database.url : '',
  );
  expect(compose.services[hostname]?.environment).toMatchObject({ POSTGRES_USER: username });
  expect([password, pathname]).toEqual([values.POSTGRES_PASSWORD, `/${username}`]);
  expect(() => interpolate(app.environment!['SECRET_KEY']!, {})).toThrow('SECRET_KEY is missing');
});

test('each service of the Compose file has a health check, a restart and no rights [DEPLOY-4]', () => {
  const named = services.flatMap(([, { volumes = [] }]) =>
    volumes.map((volume) => volume.split(':')[0]!).filter((name) => !name.startsWith('.')),
  );

  expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  expect(app.volumes).toEqual([
    `data:${loadDockerfile().find(({ name }) => name === 'VOLUME')?.text}`,
  ]);
  for (const [name, service] of services) {
    if (!service.build) expect(service.healthcheck?.test[0], name).toBe('CMD');
    expect(service, name).toMatchObject({ cap_drop: ['ALL'], restart: 'unless-stopped' });
    expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
    for (const dependency of Object.values(service.depends_on ?? {})) {
      expect(dependency, name).toEqual({ condition: 'service_healthy' });
    }
  }
  expect(loadDockerfile().some(({ name }) => name === 'HEALTHCHECK')).toBe(true);
});

test('the Compose file bounds the memory and the processes of the server [DEPLOY-6]', () => {
  expect(app.mem_limit).toMatch(/^\d+g$/);
  expect(app.pids_limit).toBeGreaterThan(100);
  expect(app.ulimits).toEqual({ core: 0 });
  expect(app.tmpfs).toMatch(/^\/tmp:size=\d+g,.*noexec/);
});

test('only Caddy can be reached from outside the Compose network [DEPLOY-4]', () => {
  const open = services.filter(([, { ports }]) => ports).map(([name]) => name);

  expect(open).toEqual(['caddy']);
  expect(compose.services['postgres']!.networks).toEqual(['database']);
  expect(compose.networks['database']).toEqual({ internal: true });
  expect(compose.services['caddy']!.networks).toEqual(['web']);
});

test('a second Compose file adds a node, Valkey and a common folder of pictures [DEPLOY-4, DEPLOY-5]', () => {
  const nodesText = readFileSync(join(projectRoot, 'deploy/compose.nodes.yaml'), 'utf8');
  const { services: addedServices, volumes } = parse(nodesText, { merge: true }) as Overlay;
  const { valkey, app2 } = addedServices;

  expect(valkey?.image).toMatch(/^valkey\/valkey:[\w.-]+@sha256:[0-9a-f]{64}$/);
  expect(valkey).toMatchObject({ cap_drop: ['ALL'], networks: ['database'], user: '999:1000' });
  expect(valkey?.ports).toBeUndefined();
  expect(app2?.extends).toEqual({ file: 'compose.yaml', service: 'app' });

  const values = { REDIS_PASSWORD: 'a1b2c3d4' };
  const postgres = { DATABASE_URL: 'postgres://postgres/backchannel', SECRET_KEY: 'x'.repeat(44) };
  for (const node of [addedServices['app']!, app2!]) {
    const REDIS_URL = interpolate(node.environment!['REDIS_URL']!, values);
    const { redisUrl } = loadConfig({ ...postgres, REDIS_URL });
    expect(redisUrl).toBe('redis://:a1b2c3d4@valkey:6379');
    expect(node.volumes).toContain('images:/data/images');
    expect(node.depends_on).toMatchObject({ valkey: { condition: 'service_healthy' } });
  }
  const folders = [app, addedServices['app']!, app2!].flatMap((node) => node.volumes!);
  const named = folders.map((volume) => volume.split(':')[0]!);
  expect(new Set(named)).toEqual(new Set(['data', ...Object.keys(volumes)]));

  const { UPSTREAM = '' } = addedServices['caddy']!.environment!;
  expect(String(UPSTREAM).split(' ')).toEqual(['app:3000', 'app2:3000']);
});
