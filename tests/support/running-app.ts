// Runs the real server on a real database for one test file. Calls and sockets use the network.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turnOfEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { createApp, type App } from '#server/app.ts';
import { noSandbox } from '#server/base/file-worker.ts';
import { loadConfig } from '#server/config/config.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { createLog } from '#server/base/log.ts';
import { PictureProcess } from '#server/pictures/picture-processor.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { unfoldRecipient } from './fake-smtp.ts';
import { createMigratedDatabase } from './migrated-database.ts';
import { createTestClient, type ClientOptions, type TestClient } from './test-client.ts';
import type { TestDatabase } from './test-database.ts';
import { university } from './university.ts';

export interface RunningApp {
  readonly origin: string;
  readonly database: TestDatabase;
  /** All log lines of the server so far. */
  readonly logLines: readonly string[];
  /** Returns a student who has signed up and in. */
  createStudent(name?: string, options?: ClientOptions): Promise<TestClient>;
  /** Returns a student who has an address and no account. */
  visitor(name?: string, options?: ClientOptions): TestClient;
  /** The texts of all mails so far, oldest first. */
  mails(): string[];
  /** Waits for the next mail to this student. */
  waitForNextMailTo(student: TestClient): Promise<string>;
  /**
   * @param meanwhile runs while the server is stopped
   * @param addedSettings settings that are added to those of `startApp`, until the next restart
   */
  restart(
    meanwhile?: () => Promise<unknown>,
    addedSettings?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Stops the server and keeps the database for another start. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

/** The origin of PUBLIC_URL, whose default is this one. */
export const toPublicOrigin = ({ origin }: Pick<RunningApp, 'origin'>) =>
  origin.replace('127.0.0.1', 'localhost');

/** A password hash of the real cost takes 10 ms of processor time, and a test run computes thousands. */
const cheapHash = { memoryCost: 64, timeCost: 1, parallelism: 1 };

/** The process of all apps of a test worker, because starting one takes a second of processor time. */
class SharedPictureProcess extends PictureProcess {
  #previous: Promise<unknown> = Promise.resolve();

  override run(file: Uint8Array, signal: AbortSignal): ReturnType<PictureProcess['run']> {
    const result = this.#previous.then(() => super.run(file, signal));
    this.#previous = result.catch(() => {});
    return result;
  }

  /** Keeps it for the other apps. */
  override stop(): void {}
}
const pictureProcess = new SharedPictureProcess(Promise.resolve(noSandbox));

/** The number of students in all apps, because several apps can share a database. */
let studentCount = 0;

/**
 * @param settings override the lifted limits. The value '' means the default.
 * @param givenDatabase a database of an earlier start
 */
export async function startApp(
  settings: Readonly<Record<string, string>> = {},
  givenDatabase?: TestDatabase,
  webDir: string | null = null,
): Promise<RunningApp> {
  const ownDatabase = givenDatabase ?? (await createMigratedDatabase());
  const { SECRET_KEY } = settings;
  // Whoever opens its rows needs the key of the server.
  const database: TestDatabase =
    SECRET_KEY === undefined
      ? ownDatabase
      : { ...ownDatabase, settings: { ...ownDatabase.settings, SECRET_KEY } };
  const port = Number(settings['PORT'] ?? (await findFreePort()));
  const origin = `http://127.0.0.1:${port}`;
  const logLines: string[] = [];
  // The disk of the machine that runs the tests may be full.
  const firstSettings = {
    PORT: String(port),
    KEEP_FREE_GB: '0',
    ...database.settings,
    ...unlimitedRates,
    ...settings,
  };
  let config = loadConfig(firstSettings);
  const log = createLog({ write: (line) => logLines.push(line) });
  let app = await start();
  let mailsSeen = 0;

  function listMails(): string[] {
    const dir = join(config.dataDir, 'mail');
    return readdirSync(dir)
      .toSorted()
      .map((file) => unfoldRecipient(readFileSync(join(dir, file), 'utf8')));
  }

  async function start(): Promise<App> {
    const newApp = await createApp(config, log, webDir, {
      passwordCost: cheapHash,
      pictureProcess,
    });
    // A test can block the process for seconds, and then use a connection that the server is closing at that moment.
    newApp.server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => newApp.server.listen(port, '127.0.0.1', resolve));
    return newApp;
  }

  function createVisitor(
    name = university.createPerson(studentCount++).localPart,
    options?: ClientOptions,
  ): TestClient {
    return createTestClient(origin, `${name}@${config.emailDomains[0]}`, options);
  }

  return {
    origin,
    database,
    logLines,
    visitor: createVisitor,
    async createStudent(name, options) {
      const student = createVisitor(name, options);
      await student.signUp();
      return student;
    },
    mails: listMails,
    async waitForNextMailTo({ email }) {
      for (let tries = 0; tries < 2000; tries++) {
        const mail = listMails()[mailsSeen];
        if (mail) mailsSeen += 1;
        if (mail?.includes(`To: ${email}`)) return mail;
        await sleep(mail ? 0 : 10);
      }
      throw new Error(`No mail to ${email} arrived.`);
    },
    async restart(meanwhile, addedSettings = {}) {
      await app.close();
      // Clients learn that their connections are closed before they use them again.
      await turnOfEventLoop();
      await meanwhile?.();
      config = loadConfig({ ...firstSettings, ...addedSettings });
      app = await start();
    },
    close: () => app.close(),
    async stop() {
      await app.close();
      await database.drop();
    },
  };
}
