// Takes the place of the program that decodes pictures, as a program would that a malicious picture has taken over. It tries
// to reach the data and the server, and returns what it reached as the picture.
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { answerFiles } from '#server/base/file-worker.ts';

export interface Target {
  dataDir: string;
  port: number;
  serverPid: number;
  /** A folder that every user of the machine can write to. */
  otherFolder: string;
}

/** `done`, or the code of the error. */
export type Attempts = Record<string, string>;

function createAttempts({ dataDir, port, serverPid, otherFolder }: Target) {
  return {
    'list the data': () => readdir(dataDir),
    'read the server key': () => readFile(join(dataDir, 'server.key')),
    'read the database': () => readFile(join(dataDir, 'backchannel.sqlite')),
    'read the password file': () => readFile('/etc/passwd'),
    'write to the data': () => writeFile(join(dataDir, 'planted'), ''),
    'write elsewhere': () => writeFile(join(otherFolder, 'planted'), ''),
    'read the environment of the server': () => readFile(`/proc/${serverPid}/environ`),
    'read the memory of the server': async () => (await open(`/proc/${serverPid}/mem`)).close(),
    'read the environment of the parent': () => readFile(`/proc/${process.ppid}/environ`),
    'connect to the server': () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        });
        socket.on('error', reject);
      }),
    // It tests the right to send a signal, and sends none.
    'send the server a signal': async () => process.kill(serverPid, 0),
  };
}

async function tryAll(target: Target): Promise<Attempts> {
  const outcomes: Attempts = {};
  for (const [name, attempt] of Object.entries(createAttempts(target))) {
    outcomes[name] = await attempt().then(
      () => 'done',
      (error: NodeJS.ErrnoException) => error.code ?? 'failed',
    );
  }
  outcomes['settings'] = Object.keys(process.env).join(' ');
  return outcomes;
}

answerFiles(async (file) => {
  const text = new TextDecoder().decode(file);
  const isTarget = text.startsWith('{');
  const outcomes = isTarget ? await tryAll(JSON.parse(text) as Target) : {};
  const shape = { width: 1, height: 1, placeholder: '1QuABQAHyPqHiIeHeKB4+HV49/iMiIe4hw==' };
  const display = new TextEncoder().encode(JSON.stringify(outcomes));
  return { picture: { shape: { ...shape, animated: false }, display, thumb: display } };
});
