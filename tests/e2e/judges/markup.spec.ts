// The Nu HTML checker of the W3C reads the markup that the app makes for each screen. It needs Java.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import checker from 'vnu-jar';
import { createSite, expect, test } from '../fixtures.ts';
import { createScreens, openScreen } from '../screens.ts';

/** The package exports an object of the class String. */
const checkerFile = checker.toString();

interface Finding {
  url: string;
  type: 'error' | 'info';
  subType?: 'warning';
  message: string;
  extract?: string;
}

/** Findings that stay, with their reason. */
const accepted: readonly { message: RegExp; reason: string }[] = [
  {
    message: /CSS: “vg”: Parse Error/,
    reason: 'A custom property can have any value, also the path /logos/default.svg.',
  },
  {
    message: /Attribute “aria-activedescendant” value should either refer to a descendant/,
    reason: 'ARIA 1.2 also allows a descendant of what aria-controls names.',
  },
];

test('the Nu HTML checker finds no error in the markup of any screen [DEV-4]', async ({
  windows,
}, testInfo) => {
  // A suspended member gets no socket.
  windows.expectConsoleError('403 (Forbidden)');
  windows.expectConsoleError('WebSocket connection');
  const site = await createSite();
  const files: string[] = [];
  for (const screen of await createScreens(site)) {
    const page = await windows.openWindow({ baseURL: site.origin });
    await openScreen(page, screen);
    const file = testInfo.outputPath(`${screen.name}.html`);
    writeFileSync(file, await page.content());
    files.push(file);
    await windows.closeWindows();
  }
  await site.end();

  const findings = checkMarkup(files);

  const isAccepted = (line: string) => accepted.some(({ message }) => message.test(line));
  expect(findings.filter((line) => !isAccepted(line))).toEqual([]);
  expect(accepted.filter(({ message }) => !findings.some((line) => message.test(line)))).toEqual(
    [],
  );
});

/** @returns a line for each error and warning, without those that repeat on another screen */
function checkMarkup(files: readonly string[]): string[] {
  const { stderr, error } = spawnSync(
    'java',
    ['-jar', checkerFile, '--format', 'json', '--exit-zero-always', ...files],
    { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
  );
  if (error) throw error;
  const { messages } = JSON.parse(stderr) as { messages: Finding[] };
  const lines = new Map<string, string>();
  for (const { url, message, extract = '' } of messages) {
    const finding = `${message} ${extract.replaceAll(/\s+/g, ' ')}`;
    const screen = decodeURIComponent(basename(url, '.html'));
    if (!lines.has(finding)) lines.set(finding, `${screen}: ${finding}`);
  }
  return [...lines.values()];
}
