// An administrator edits themes/. The tests use a copy of the sources, so the project's own folder stays
// unchanged.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';

const project = resolve(import.meta.dirname, '../../..');
let copy: string;
let port: string;
let startedServer: ServerProcess | undefined;
let student: TestClient;
beforeEach(async () => {
  copy = mkdtempSync(join(tmpdir(), 'backchannel-themes-'));
  for (const part of ['package.json', 'src/server', 'src/contract', 'src/texts', 'themes']) {
    cpSync(join(project, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  port = String(await findFreePort());
  student = createTestClient(`http://127.0.0.1:${port}`, 'ada@university.edu');
});
afterEach(async () => {
  startedServer?.child.kill('SIGKILL');
  await startedServer?.ended;
  rmSync(copy, { recursive: true, force: true });
});

function start(): ServerProcess {
  startedServer = startProcess('node', { DATA_DIR: join(copy, 'data'), PORT: port }, copy);
  return startedServer;
}

const toThemePath = (key: string) => join(copy, 'themes', `${key}.json`);

function change(key: string, values: Readonly<Record<string, string>>): void {
  const theme = JSON.parse(readFileSync(toThemePath('default'), 'utf8')) as Record<string, string>;
  writeFileSync(toThemePath(key), JSON.stringify({ ...theme, ...values }));
}

const getTheme = (key: string) => student.call('schoolTheme', { params: { key } });

async function restart(): Promise<void> {
  startedServer?.child.kill('SIGTERM');
  await startedServer?.ended;
  await start().started();
}

test('a school has the theme of its key, and all other schools have the default one [THEME-1]', async () => {
  await start().started();

  const standard = await getTheme('default');

  expect(await getTheme('ashgrove')).toMatchObject({ logoUrl: '/logos/ashgrove.svg' });
  expect(await getTheme('AshGrove')).toEqual(await getTheme('ashgrove'));
  expect(await getTheme('no-such-school')).toEqual(standard);
});

test('a school with an unreadable theme gets the default one [THEME-6, THEME-14]', async () => {
  change('northfield', { textColor: '#999999' });
  const server = start();

  await server.started();

  expect(server.output()).toMatch(
    /"theme\.refused","file":"northfield\.json","reason":"themes\/northfield\.json is hard to read: the text on the background has a contrast of 2\.\d\d in the light color scheme \(#999999 on #[0-9a-f]{6}\)\. The minimum is 4\.5\."/,
  );
  expect(await getTheme('northfield')).toEqual(await getTheme('default'));
  expect(await getTheme('ashgrove')).toMatchObject({ logoUrl: '/logos/ashgrove.svg' });
});

test('the server rejects a theme that is not JSON and one with an invalid value [THEME-4, THEME-14]', async () => {
  writeFileSync(toThemePath('northfield'), '{');
  change('southfield', { primaryColor: 'red' });
  change('eastfield', { logoUrl: 'https://*.example/logo.svg' });
  change('westfield', { logoUrl: 'https://[' });
  mkdirSync(toThemePath('folder'));
  const server = start();

  await server.started();

  for (const reason of [
    'themes/northfield.json is not JSON',
    'themes/southfield.json has an invalid primaryColor',
    'themes/eastfield.json has an invalid logoUrl',
    'themes/westfield.json has an invalid logoUrl',
    'themes/folder.json cannot be read by this user',
  ]) {
    expect(server.output()).toContain(reason);
  }
  for (const key of ['northfield', 'southfield', 'eastfield', 'westfield', 'folder']) {
    expect(await getTheme(key), key).toEqual(await getTheme('default'));
  }
});

test('the server does not start without a usable default theme [THEME-14, START-5]', async () => {
  change('default', { textColor: '#999999' });
  await expectStartRefused(start(), /themes\/default\.json is hard to read/);

  rmSync(toThemePath('default'));
  await expectStartRefused(start(), /themes\/default\.json is missing/);
});

test('pages can load pictures only from the origins of the logos [HTTP-9]', async () => {
  await start().started();
  const fetchImageSources = async () => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/api/me`);
    return /img-src ([^;]*);/.exec(headers.get('content-security-policy') ?? '')?.[1];
  };
  expect(await fetchImageSources()).toBe("'self' data: blob:");

  const logo = 'https://Logos.example:8443/a/logo.svg';
  change('riverside', { logoUrl: logo, logoUrlDark: 'https://dark.example/logo.svg' });
  // A rejected theme does not count.
  change('northfield', { logoUrl: 'https://other.example/x.svg', textColor: '#eeeeee' });
  await restart();
  const allowedSources = "'self' https://dark.example https://logos.example:8443 data: blob:";
  expect(await fetchImageSources()).toBe(allowedSources);
});

test('the server uses a changed theme after a restart [THEME-13]', async () => {
  change('riverside', { primaryColor: '#654321' });
  await start().started();

  change('riverside', { primaryColor: '#123456' });
  rmSync(toThemePath('ashgrove'));
  expect(await getTheme('riverside')).toMatchObject({ primaryColor: '#654321' });

  await restart();
  expect(await getTheme('riverside')).toMatchObject({ primaryColor: '#123456' });
  expect(await getTheme('ashgrove')).toMatchObject({ logoUrl: '/logos/default.svg' });
});

test('a theme of the data folder replaces one of the project, and an unusable one does not stop the start [THEME-13]', async () => {
  const folder = join(copy, 'data', 'themes');
  mkdirSync(folder, { recursive: true });
  const values = JSON.parse(readFileSync(toThemePath('default'), 'utf8')) as object;
  writeFileSync(join(folder, 'ashgrove.json'), JSON.stringify({ ...values, name: 'Own Ashgrove' }));
  writeFileSync(join(folder, 'default.json'), '{');
  const server = start();

  await server.started();

  expect(await getTheme('ashgrove')).toMatchObject({ name: 'Own Ashgrove' });
  expect(await getTheme('default')).toEqual(values);
  expect(server.output()).toContain('"theme.refused","file":"default.json"');
});
