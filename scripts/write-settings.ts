/**
 * Writes the tables of docs/configuration.md and the file `.env.example` from the declared settings:
 * `npm run settings`. A test compares both with the settings.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { settingNames, settings, type Setting } from '#server/config/settings.ts';
import { projectRoot } from './run-tool.ts';

const pagePath = join(projectRoot, 'docs/configuration.md');
const examplePath = join(projectRoot, '.env.example');

interface Row {
  name: string;
  section: string;
  /** The default as Markdown. */
  defaultText: string;
  /** What `.env.example` has after the `=`. */
  example: string;
  meaning: string;
}

function listRows(): Row[] {
  return settingNames.map((name) => {
    const setting: Setting = settings[name];
    const { section, defaultNote = '', default: value = '', meaning } = setting;
    const defaultText = value === '' ? defaultNote : `\`${value}\``;
    return { name, section, defaultText, example: value, meaning };
  });
}

function formatTable(section: string): string {
  const lines = listRows()
    .filter((row) => row.section === section)
    .map((row) => `| \`${row.name}\` | ${row.defaultText} | ${row.meaning} |`);
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...lines].join('\n');
}

/** Replaces the first table under each heading of docs/configuration.md. The other text stays. */
export async function formatPage(): Promise<string> {
  const [introduction = '', ...parts] = readFileSync(pagePath, 'utf8').split(/^(?=## )/m);
  const sections = new Set(listRows().map(({ section }) => section));
  const formattedParts = parts.map((part) => {
    const heading = /^## (.*)$/m.exec(part)?.[1] ?? '';
    if (!sections.delete(heading)) throw new Error(`'${heading}' is a section without settings.`);
    return part.replace(/^\|.*\|$(\n\|.*\|$)*/m, () => formatTable(heading));
  });
  if (sections.size > 0) {
    throw new Error(`${pagePath} has no headings for ${[...sections].join(', ')}.`);
  }
  const text = introduction + formattedParts.join('');
  return (await format(pagePath, text, { printWidth: 100 })).code;
}

export function formatExample(): string {
  const rows = listRows();
  const sections = [...new Set(rows.map(({ section }) => section))];
  const toLines = ({ name, meaning, example: value }: Row) =>
    `# ${meaning.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')}\n#${name}=${value}\n`;
  return [
    '# Copy this file to .env, and remove the # before the settings that you change: docs/configuration.md.\n',
    ...sections.map((section) =>
      [`\n## ${section}\n`, ...rows.filter((row) => row.section === section).map(toLines)].join(
        '\n',
      ),
    ),
  ].join('');
}

if (import.meta.main) {
  writeFileSync(pagePath, await formatPage());
  writeFileSync(examplePath, formatExample());
}
