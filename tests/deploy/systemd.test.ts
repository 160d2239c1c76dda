// deploy/backchannel.service under the systemd of Debian 12, which starts in a container of systemd-nspawn. `npm run test:all`
// runs this file.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureWebBuilt } from '#server/features/web-app/web-build.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { postAndUpload } from './post-and-upload.ts';
import { listDescendants } from '#tests/support/processes.ts';
import { run } from './processes.ts';
import { unitFile } from './system-calls.ts';

const guide = readFileSync(join(projectRoot, 'docs/install.md'), 'utf8');
const keyFile = 'etc/backchannel.key';
const dropIn = 'etc/systemd/system/backchannel.service.d/override.conf';

describe.skipIf(process.getuid?.() !== 0)('the unit, for which root starts a systemd,', () => {
  let folder: string;
  let machine: ChildProcess;
  let machineEnd: Promise<unknown>;
  let origin: string;
  beforeAll(async () => {
    await ensureWebBuilt(() => {});
    folder = mkdtempSync(join(tmpdir(), 'backchannel-systemd-'));
    // It is the root of the container, which the user of the service must be able to enter.
    chmodSync(folder, 0o755);
    const packages = 'systemd,dbus,libatomic1,bubblewrap';
    run('debootstrap', '--variant=minbase', `--include=${packages}`, 'bookworm', folder);
    const port = await findFreePort();
    origin = `http://localhost:${port}`;
    cpSync(unitFile, join(folder, 'etc/systemd/system/backchannel.service'));
    mkdirSync(join(folder, dirname(dropIn)));
    const searchPath = /ExecSearchPath=.+/.exec(guide)?.[0];
    writeFileSync(join(folder, dropIn), `[Service]\n${searchPath}\n`);
    const settings = `PORT=${port}\nDATA_DIR=/var/lib/backchannel\nENV_FILE=none\n`;
    writeFileSync(join(folder, 'etc/backchannel.env'), settings, { mode: 0o600 });
    writeFileSync(join(folder, keyFile), `${'k'.repeat(43)}\n`, { mode: 0o600 });
    run('chroot', folder, 'useradd', '--system', '--home-dir=/var/lib/backchannel', 'backchannel');
    run('chroot', folder, 'systemctl', 'enable', 'backchannel');
    machine = spawn('systemd-nspawn', [
      ...['--quiet', '--boot', `--directory=${folder}`, '--register=no', '--keep-unit'],
      ...[`--bind-ro=${projectRoot}:/opt/backchannel`],
      ...[`--bind-ro=${dirname(process.execPath)}:/opt/node/bin`],
    ]);
    machineEnd = once(machine, 'close');
  }, 600_000);
  afterAll(async () => {
    machine.kill();
    await machineEnd;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a command in the container. */
  function runInside(...command: string[]): string {
    const systemd = listDescendants(machine.pid!)[0];
    return run('nsenter', `--target=${systemd}`, '--all', '--root', '--wd', ...command);
  }

  function loadState(): Record<string, string> {
    const properties = 'ActiveState,Result,ExecMainStatus,NRestarts';
    const output = runInside('systemctl', 'show', 'backchannel', `--property=${properties}`);
    return Object.fromEntries(output.split('\n').map((line) => line.split('=')));
  }

  async function waitUntilReady(): Promise<void> {
    const getStatus = async () => {
      try {
        return (await fetch(`${origin}/readyz`)).status;
      } catch {
        return null;
      }
    };
    await expect.poll(getStatus, { timeout: 60_000 }).toBe(200);
  }

  test('the unit runs the server where Debian 12 has no Node.js, and starts it again after a crash [DEPLOY-2]', async () => {
    await waitUntilReady();
    const { ada, classId } = await postAndUpload(origin);
    expect(runInside('journalctl', '--unit=backchannel')).toContain('"sandbox":"bubblewrap"');

    runInside('systemctl', 'kill', '--signal=KILL', 'backchannel');
    await expect.poll(() => loadState()['NRestarts']).toBe('1');
    await waitUntilReady();

    runInside('systemctl', 'stop', 'backchannel');
    expect(loadState()).toMatchObject({
      ActiveState: 'inactive',
      Result: 'success',
      ExecMainStatus: '0',
    });

    // Node.js where `n` installs it, without a drop-in.
    rmSync(join(folder, dropIn));
    runInside('ln', '-s', '/opt/node/bin/node', '/usr/local/bin/node');
    runInside('systemctl', 'daemon-reload');
    runInside('systemctl', 'start', 'backchannel');
    await waitUntilReady();
    const { messages } = await ada.snapshot(classId);
    expect(messages).toEqual([expect.objectContaining({ text: 'the first message' })]);

    // The key reached the command and the server, but not the data folder.
    const shown = runInside('/opt/backchannel/scripts/backchannel', 'show-key');
    expect(shown).toContain('kkkk kkkk');
    expect(runInside('ls', '/var/lib/backchannel')).not.toContain('server.key');
  });
});
