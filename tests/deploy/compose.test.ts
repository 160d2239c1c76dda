import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#server/config/config.ts';
import { loadSettingsFiles } from '#server/config/settings-files.ts';
import { projectRoot } from '../../scripts/run-tool.ts';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  pull_policy?: string;
  profiles?: string[];
  environment: Record<string, string | number>;
  command?: string[];
  healthcheck?: { test: string[] };
  ports?: string[];
  networks: string[];
  volumes?: (string | { source: string; target: string; volume: { subpath: string } })[];
  depends_on?: Record<string, { condition: string; required?: boolean }>;
  cap_drop?: string[];
  security_opt?: string[];
  tmpfs?: string;
  mem_limit?: string;
  pids_limit?: number;
  ulimits?: Record<string, number>;
  restart?: string;
  secrets?: string[];
}

type Values = Readonly<Record<string, string>>;

const text = readFileSync(join(projectRoot, 'compose.yaml'), 'utf8');
const { services, volumes, networks, secrets } = parse(text, { merge: true }) as {
  services: Record<'app' | 'app2' | 'postgres' | 'valkey' | 'caddy', Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};
const entries = Object.entries(services);
const dockerfile = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');

/** Inserts the values of .env as Compose does: `${NAME:-default}` and `${NAME:+text}`, one in the other. */
function interpolate(value: string | number, values: Values): string {
  const innermost = /\$\{(\w+):([-+])([^${}]*)\}/;
  let result = String(value);
  while (innermost.test(result)) {
    result = result.replace(innermost, (_, name: string, operator: string, word: string) => {
      if (operator === '-') return values[name] || word;
      return values[name] ? word : '';
    });
  }
  return result;
}

/** Reads what the server gets from .env and from the service. */
function loadServiceConfig({ environment }: Service, values: Values) {
  const settings = Object.entries(environment).map(
    ([name, value]) => [name, interpolate(value, values)] as const,
  );
  const variables = { ...values, ...Object.fromEntries(settings), ENV_FILE: 'none' };
  return loadConfig(loadSettingsFiles(variables, projectRoot));
}

function listVolumeNames({ volumes: mounts = [] }: Service): string[] {
  return mounts
    .map((mount) => (typeof mount === 'string' ? mount.split(':')[0]! : mount.source))
    .filter((name) => !name.startsWith('.'));
}

test('compose.yaml pins every image by its digest, except the one that is built here [DEPLOY-1, DEPLOY-4]', () => {
  const pin = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
  for (const [name, { image, build, pull_policy }] of entries) {
    if (build) {
      expect(build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile' });
      expect(pull_policy).toBe('build');
    } else {
      expect(image, name).toMatch(pin);
    }
  }

  const bases = [...dockerfile.matchAll(/^FROM \$\{(\w+)\}/gm)].map(([, name]) => name);
  expect(bases).toEqual(['NODE_IMAGE', 'DEBIAN_IMAGE']);
  for (const base of bases) {
    expect(new RegExp(`^ARG ${base}=(.+)$`, 'm').exec(dockerfile)?.[1]).toMatch(pin);
  }
});

test('compose.yaml has no secret, and a service does not start without the one it needs [DEPLOY-4]', () => {
  const secret = /PASSWORD|SECRET|KEY(?!_DIR)|TOKEN|DATABASE_URL|REDIS_URL/;
  const secretValues = entries
    .flatMap(([, { environment }]) => Object.entries(environment))
    .filter(([name]) => secret.test(name));

  expect(secretValues.length).toBeGreaterThan(4);
  for (const [name, value] of secretValues) expect(interpolate(value, {}), name).toBe('');
  const required = [
    [services.valkey, 'REDIS_PASSWORD'],
    [services.caddy, 'PUBLIC_URL'],
  ] as const;
  for (const [{ command }, name] of required) {
    const [shell = '', ...args] = command!.map((argument) => argument.replaceAll('$$', '$'));
    const { status, stderr } = spawnSync(shell, args, { env: { [name]: '' }, encoding: 'utf8' });
    expect(stderr).toContain(`${name}: is missing in .env`);
    expect(status).not.toBe(0);
  }
  const ignored = readFileSync(join(projectRoot, '.gitignore'), 'utf8').split('\n');
  expect(ignored).toContain('/.env');
});

test('compose.yaml alone runs one server with SQLite [DEPLOY-4]', () => {
  const withoutProfile = entries.filter(([, { profiles }]) => !profiles).map(([name]) => name);

  expect(withoutProfile).toEqual(['app']);
  expect(loadServiceConfig(services.app, {})).toMatchObject({
    dataDir: '/data',
    keyDir: '/key',
    database: { kind: 'sqlite' },
    redisUrl: null,
  });
});

test('compose.yaml gives every node the key as a secret, apart from the data [DEPLOY-4, ADMIN-89]', () => {
  const values = { SECRET_KEY_FILE: '/etc/backchannel.key' };

  expect(interpolate(secrets['SECRET_KEY']!.file, values)).toBe(values.SECRET_KEY_FILE);
  expect(interpolate(secrets['SECRET_KEY']!.file, {})).toBe('/dev/null');
  for (const { secrets: given, environment } of [services.app, services.app2]) {
    expect(given).toEqual(['SECRET_KEY']);
    expect(interpolate(environment['SECRET_KEY_FILE']!, values)).toBe('/run/secrets/SECRET_KEY');
    expect(interpolate(environment['SECRET_KEY_FILE']!, {})).toBe('');
  }
});

test('the profiles of compose.yaml give the server PostgreSQL, Valkey and a proxy [DEPLOY-4]', () => {
  const values = {
    PUBLIC_URL: 'https://chat.university.edu',
    POSTGRES_PASSWORD: 'a1b2c3d4',
    REDIS_PASSWORD: 'e5f6',
    SECRET_KEY: 'x'.repeat(44),
  };
  const nodes = [services.app, services.app2];
  for (const node of nodes) {
    expect(loadServiceConfig(node, values)).toMatchObject({
      trustedProxies: 1,
      database: { kind: 'postgres', url: 'postgres://backchannel:a1b2c3d4@postgres/backchannel' },
      redisUrl: 'redis://:e5f6@valkey:6379',
    });
  }
  expect(services.postgres.environment).toMatchObject({ POSTGRES_USER: 'backchannel' });

  const ownDatabase = { ...values, DATABASE_URL: 'postgres://db.university.edu/chat' };
  expect(loadServiceConfig(services.app, ownDatabase)).toMatchObject({
    database: { url: 'postgres://db.university.edu/chat' },
  });

  const { UPSTREAM } = services.caddy.environment;
  expect(interpolate(UPSTREAM!, {})).toBe('app:3000');
  expect(interpolate(UPSTREAM!, values)).toBe('app:3000 app2:3000');
  const mount = String(services.caddy.volumes![0]);
  expect(interpolate(mount, {})).toMatch(/^\.\/deploy\/Caddyfile:/);
  expect(interpolate(mount, values)).toMatch(/^\.\/deploy\/Caddyfile\.nodes:/);
});

test('the second node of compose.yaml uses the pictures of the first [DEPLOY-4]', () => {
  expect(services.app2.profiles).toEqual(['nodes']);
  expect(services.app2.depends_on).toMatchObject({ app: { condition: 'service_healthy' } });
  expect(services.app2.volumes).toEqual([
    'data2:/data',
    expect.objectContaining({
      source: 'data',
      target: '/data/images',
      volume: { subpath: 'images' },
    }),
  ]);
  // Docker does not start a container whose subpath is missing. With S3, no server makes the folder.
  expect(dockerfile).toMatch(/^RUN .* mkdir -p \/data\/images /m);
});

test('each service of compose.yaml has a health check, a restart and no rights [DEPLOY-4]', () => {
  const named = new Set(entries.flatMap(([, service]) => listVolumeNames(service)));

  expect([...named].toSorted()).toEqual(Object.keys(volumes).toSorted());
  expect(services.app.volumes).toEqual([
    `data:${/^VOLUME (.+)$/m.exec(dockerfile)?.[1]}`,
    'key:/key',
  ]);
  for (const [name, service] of entries) {
    if (!service.build) expect(service.healthcheck?.test[0], name).toBe('CMD');
    expect(service, name).toMatchObject({ cap_drop: ['ALL'], restart: 'unless-stopped' });
    expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
    for (const [dependency, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      expect(condition, name).toBe('service_healthy');
      // Compose rejects a required service whose profile is off.
      expect(required ?? true, name).toBe(dependency === 'app');
    }
  }
  expect(dockerfile).toMatch(/^HEALTHCHECK /m);
});

test('compose.yaml bounds the memory and the processes of the server [DEPLOY-6]', () => {
  expect(services.app.mem_limit).toMatch(/^\d+g$/);
  expect(services.app.pids_limit).toBeGreaterThan(100);
  expect(services.app.ulimits).toEqual({ core: 0 });
  expect(services.app.tmpfs).toMatch(/^\/tmp:size=\d+g,.*noexec/);
});

test('only Caddy can be reached from another machine [DEPLOY-4]', () => {
  const ports = entries.flatMap(([name, service]) =>
    (service.ports ?? []).map((port) => `${name} ${port}`),
  );

  expect(ports).toEqual([
    'app 127.0.0.1:3000:3000',
    'caddy 80:80',
    'caddy 443:443',
    'caddy 443:443/udp',
  ]);
  expect(services.postgres.networks).toEqual(['database']);
  expect(services.valkey.networks).toEqual(['database']);
  expect(services.caddy.networks).toEqual(['web']);
  expect(networks['database']).toEqual({ internal: true });
});
