// A window of WebKitGTK, which speaks W3C WebDriver and not Playwright's protocol. A driver has one session, so each window has a
// driver and a screen of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChildEnvironment } from '#tests/support/child-environment.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { findWebKitDriver } from '../../scripts/system-commands.ts';

/** The key of an element in the protocol. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
type Element = Record<typeof elementKey, string>;

export const enter = '\uE007';

/** Debian's processes have no GPU in a container. */
const softwareRendering = { LIBGL_ALWAYS_SOFTWARE: '1', WEBKIT_DISABLE_DMABUF_RENDERER: '1' };

const patienceMs = 20_000;

export class WebKitWindow {
  /** What the browser's console reported as an error. */
  readonly consoleErrors: string[] = [];
  readonly #origin: string;
  readonly #home = mkdtempSync(join(tmpdir(), 'backchannel-webkit-'));
  readonly #processes: ChildProcess[] = [];
  #session = '';

  private constructor(origin: string) {
    this.#origin = origin;
  }

  static async open(origin: string): Promise<WebKitWindow> {
    const window = new WebKitWindow(origin);
    try {
      await window.#start();
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  async #start(): Promise<void> {
    const screen = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
    const display = await this.#spawnAndReadLine('Xvfb', screen, {});
    const port = await findFreePort();
    const driver = this.#spawn(findWebKitDriver() ?? '', [`--port=${port}`], {
      DISPLAY: `:${display}`,
      HOME: this.#home,
      ...softwareRendering,
    });
    for (const stream of [driver.stdout, driver.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        if (/^CONSOLE \w+ ERROR/.test(line)) this.consoleErrors.push(line);
      });
    }
    const address = `http://127.0.0.1:${port}`;
    while (!(await fetch(`${address}/status`).catch(() => null))?.ok) {
      if (driver.exitCode !== null) throw new Error('WebKitWebDriver ended.');
      await sleep(50);
    }
    const args = ['--automation', '--enable-write-console-messages-to-stdout=true'];
    const { sessionId } = await send<{ sessionId: string }>('POST', `${address}/session`, {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { args } } },
    });
    this.#session = `${address}/session/${sessionId}`;
    // `find` waits for the element.
    await this.#call('POST', '/timeouts', { implicit: patienceMs, script: patienceMs });
  }

  #spawn(command: string, args: readonly string[], env: Record<string, string>): ChildProcess {
    const child = spawn(command, args, {
      env: createChildEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#processes.push(child);
    return child;
  }

  async #spawnAndReadLine(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<string> {
    const child = this.#spawn(command, args, env);
    for await (const line of createInterface({ input: child.stdout! })) return line;
    throw new Error(`${command} ended.`);
  }

  #call<Value>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Value> {
    return send(method, this.#session + path, body);
  }

  async goto(path: string): Promise<void> {
    await this.#call('POST', '/url', { url: new URL(path, this.#origin).href });
  }

  async getPath(): Promise<string> {
    return new URL(await this.#call<string>('GET', '/url')).pathname;
  }

  /** Waits for the element. @param selector CSS, or XPath if it begins with `//` */
  find(selector: string): Promise<Element> {
    const using = selector.startsWith('//') ? 'xpath' : 'css selector';
    return this.#call('POST', '/element', { using, value: selector });
  }

  async click(selector: string): Promise<void> {
    await this.#callElement('click', selector, {});
  }

  /** Types into a field, or chooses a file by its path. */
  async type(selector: string, text: string): Promise<void> {
    await this.#callElement('value', selector, { text });
  }

  async #callElement(command: string, selector: string, body: object): Promise<void> {
    const { [elementKey]: id } = await this.find(selector);
    await this.#call('POST', `/element/${id}/${command}`, body);
  }

  /** Moves the mouse to the middle of the element. The first move of a window has no distance, and the app ignores it. */
  async hover(selector: string): Promise<void> {
    const origins = ['viewport', await this.find(selector)];
    const moves = origins.map((origin) => ({
      type: 'pointerMove',
      duration: 0,
      origin,
      x: 0,
      y: 0,
    }));
    await this.#call('POST', '/actions', {
      actions: [
        { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: moves },
      ],
    });
  }

  /** Runs the body of an async function in the page, which reads `arguments`. @returns what the function returns */
  run<Value>(body: string, ...values: unknown[]): Promise<Value> {
    const script = `const done = arguments[arguments.length - 1];
      (async function () { ${body} }).apply(null, arguments).then(done, (error) => done(String(error)));`;
    return this.#call('POST', '/execute/async', { script, args: values });
  }

  /** A PNG of the page, in base64. */
  takeScreenshot(): Promise<string> {
    return this.#call('GET', '/screenshot');
  }

  async close(): Promise<void> {
    if (this.#session) await this.#call('DELETE', '').catch(() => undefined);
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill();
      await new Promise((resolve) => child.once('close', resolve));
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

async function send<Value>(method: string, url: string, body?: object): Promise<Value> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const { value } = (await response.json()) as {
    value: Value & { error?: string; message?: string };
  };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
