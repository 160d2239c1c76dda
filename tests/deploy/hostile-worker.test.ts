// What a decoder that an uploaded file has taken over can reach, in each sandbox that this machine has.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { findCommand } from '../../scripts/system-commands.ts';
import { upload } from '#tests/support/pictures.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import type { Attempts, Target } from './hostile-picture-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'backchannel-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program, with another one in place of the one that decodes pictures. */
const programFolder = join(folder, 'program');
mkdirSync(programFolder);
for (const name of ['package.json', 'src', 'themes']) {
  cpSync(join(projectRoot, name), join(programFolder, name), { recursive: true });
}
symlinkSync(join(projectRoot, 'node_modules'), join(programFolder, 'node_modules'));
cpSync(
  join(projectRoot, 'tests/deploy/hostile-picture-worker.ts'),
  join(programFolder, 'src/server/pictures/picture-worker.ts'),
);

const showSettings =
  'process.on("SIGUSR2",()=>console.log("variables:"+Object.keys(process.env)+";"))';

/** @returns a new folder that has only this command */
function createCommandFolder(command: string | null): string {
  const commands = mkdtempSync(join(folder, 'commands-'));
  if (command) symlinkSync(findCommand(command)!, join(commands, command));
  return commands;
}

/** Starts a server that finds only this command, and uploads the target as a picture. */
async function attack(command: string | null) {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const port = await findFreePort();
  const server = startProcess(
    'node',
    {
      PORT: String(port),
      DATA_DIR: dataDir,
      METRICS_TOKEN: 'a-token-of-the-test',
      PATH: createCommandFolder(command),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(showSettings)}`,
    },
    programFolder,
  );
  try {
    await server.waitForOutput('"sandbox.');
    const ada = createTestClient(`http://127.0.0.1:${port}`, 'ada@university.edu');
    await ada.signUp();
    const classId = await ada.createClass();
    const serverPid = server.child.pid!;
    const target: Target = { dataDir, port, serverPid, otherFolder: folder };
    const picture = new TextEncoder().encode(JSON.stringify(target));
    const { imageUrl } = await upload(ada, classId, picture);
    const attempts = (await (await ada.fetch(imageUrl)).json()) as Attempts;
    server.child.kill('SIGUSR2');
    await server.waitForOutput('variables:');
    return { attempts, log: server.output() };
  } finally {
    await server.stop();
  }
}

function listDone(attempts: Attempts): string[] {
  return Object.keys(attempts).filter((name) => attempts[name] === 'done');
}

test('in bubblewrap, a hostile decoder reaches no data, no other process and no network [PIC-83, CONF-46]', async () => {
  const { attempts, log } = await attack('bwrap');

  expect(log).toContain('"sandbox":"bubblewrap"');
  expect(Object.keys(attempts)).toHaveLength(12);
  expect(listDone(attempts)).toEqual([]);

  const variables = /variables:(.*);/.exec(log)?.[1];
  expect(variables).toContain('NODE_OPTIONS');
  expect(`${variables} ${attempts['settings']}`).not.toMatch(/METRICS_TOKEN|DATA_DIR|PORT/);
});

const { stdout: helpOfSetpriv } = spawnSync('setpriv', ['--help'], { encoding: 'utf8' });
/** util-linux 2.40 and newer can use Landlock. */
const landlockCommands = helpOfSetpriv.includes('landlock') ? ['setpriv'] : [];

test.each(landlockCommands)(
  'in Landlock (%s), a hostile decoder reaches no data and no memory [PIC-83]',
  async (command) => {
    const { attempts, log } = await attack(command);

    expect(log).toContain('"sandbox":"landlock"');
    expect(listDone(attempts)).toEqual(['connect to the server', 'send the server a signal']);
  },
);

test('a server without a sandbox decodes pictures, and its log warns of it [PIC-83]', async () => {
  const { attempts, log } = await attack(null);

  expect(log).toContain('"sandbox.missing"');

  // Another user than root may not read the memory.
  const { settings, 'read the memory of the server': memory, ...otherAttempts } = attempts;
  expect(listDone(otherAttempts)).toEqual(Object.keys(otherAttempts));
  expect([settings, memory]).not.toContain(undefined);
});

test.each([
  {
    sandbox: 'bubblewrap',
    command: 'bwrap',
    line: '✓ sandbox     Pictures and PDFs are decoded in bubblewrap.',
  },
  {
    sandbox: 'no sandbox',
    command: null,
    line: '! sandbox     Decoders of pictures and PDFs can read the data',
  },
])('doctor says that decoders run in $sandbox [DOCTOR-12]', ({ command, line }) => {
  const { stdout } = spawnSync(process.execPath, ['scripts/doctor.ts'], {
    cwd: projectRoot,
    env: { PATH: createCommandFolder(command), DATA_DIR: folder, ENV_FILE: 'none' },
    encoding: 'utf8',
  });

  expect(stdout).toContain(line);
});
