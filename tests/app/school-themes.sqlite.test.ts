// What an operator does in themes/, on a copy of the sources: the project's own folder stays as it is.
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { createStudent, type Student } from '../../scripts/student.ts';
import { enter, newClass, password, post } from './running-app.ts';
import { refuses } from './refuses.ts';
import { startProcess, type ServerProcess } from './server-process.ts';

const project = resolve(import.meta.dirname, '../..');
let copy: string;
let port: string;
let server: ServerProcess | undefined;
let student: Student;
beforeEach(async () => {
  copy = mkdtempSync(join(tmpdir(), 'backchannel-themes-'));
  for (const part of ['package.json', 'src/server', 'src/contract', 'themes']) {
    cpSync(join(project, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  port = String(await freePort());
  student = createStudent(`http://127.0.0.1:${port}`, 'ada@university.edu', password);
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  rmSync(copy, { recursive: true, force: true });
});

function start(): ServerProcess {
  server = startProcess('node', { DATA_DIR: join(copy, 'data'), PORT: port }, copy);
  return server;
}

const fileOf = (key: string) => join(copy, 'themes', `${key}.json`);

function change(key: string, values: Readonly<Record<string, string>>): void {
  const theme = JSON.parse(readFileSync(fileOf('default'), 'utf8')) as Record<string, string>;
  writeFileSync(fileOf(key), JSON.stringify({ ...theme, ...values }));
}

const themeOf = (key: string) => student.call('schoolTheme', { params: { key } });

async function until(happened: () => Promise<boolean>): Promise<void> {
  while (!(await happened())) await sleep(50);
}

test('a school has the theme of its key, whatever its case, and every other one the default [THEME-1]', async () => {
  await start().printed('data folder');
  const standard = await themeOf('default');
  expect(await themeOf('ashgrove')).toMatchObject({ logoUrl: '/logos/ashgrove.svg' });
  expect(await themeOf('AshGrove')).toEqual(await themeOf('ashgrove'));
  expect(await themeOf('no-such-school')).toEqual(standard);
});

test('a theme that cannot be read stops the start with the two colours and their ratio [THEME-8, START-5]', async () => {
  change('northfield', { textColor: '#999999' });
  await refuses(
    start(),
    /themes\/northfield\.json cannot be read well: the text on the background has a contrast of 2\.\d\d in its light look \(#999999 on #[0-9a-f]{6}\), and 4\.5 is the least\.$/,
  );
});

test('so does one that is not JSON, one with a value that is none, and a missing default [THEME-4, START-5]', async () => {
  writeFileSync(fileOf('northfield'), '{');
  await refuses(start(), /themes\/northfield\.json is not JSON/);
  change('northfield', { primaryColor: 'red' });
  await refuses(start(), /themes\/northfield\.json has a primaryColor that cannot be used: "red"/);
  rmSync(fileOf('northfield'));
  rmSync(fileOf('default'));
  await refuses(start(), /themes\/default\.json is missing/);
});

test('a changed file is picked up, one that cannot be used is not, and nobody is cut off [THEME-7, THEME-8]', async () => {
  const running = start();
  await running.printed('data folder');
  await student.call('signUp', { body: { email: student.email, password } });
  const classId = await newClass(student);
  const live = await student.connect();
  await enter(live, classId);

  change('riverside', { primaryColor: '#123456' });
  await until(async () => (await themeOf('riverside'))['primaryColor'] === '#123456');

  change('riverside', { primaryColor: '#654321', textColor: '#eeeeee' });
  await running.printed('"theme.refused","file":"riverside.json","reason":"themes/riverside.json');
  expect(running.output()).toMatch(/has a contrast of 1\.\d\d in its light look/);
  expect(await themeOf('riverside')).toMatchObject({ primaryColor: '#123456' });

  // Written aside and put in place, as editors do.
  change('aside', { primaryColor: '#0f4c5c' });
  renameSync(fileOf('aside'), fileOf('riverside'));
  await until(async () => (await themeOf('riverside'))['primaryColor'] === '#0f4c5c');

  rmSync(fileOf('riverside'));
  await until(async () => (await themeOf('riverside'))['logoUrl'] === '/logos/default.svg');
  rmSync(fileOf('default'));
  await running.printed('themes/default.json is missing');
  expect(await themeOf('riverside')).toMatchObject({ logoUrl: '/logos/default.svg' });

  expect(await post(live, classId, 'still here')).toMatchObject({ type: 'ack' });
  expect(live.frames.some(({ type }) => type === 'bye')).toBe(false);
});
