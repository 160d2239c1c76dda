// `npm run admin -- settings`: each setting as a server that starts now would have it.
import { settingsInForce } from './settings-in-force.ts';
import { readConfig } from '#server/config/config.ts';
import type { CommandReport } from '#server/commands/command-report.ts';

export async function reportSettings(): Promise<CommandReport> {
  const inForce = settingsInForce(readConfig());
  const width = Math.max(...inForce.map(({ setting }) => setting.length));
  const lines = inForce.map(
    ({ setting, settingValue, source }) =>
      `${setting.padEnd(width)}  ${source.padEnd(11)}  ${settingValue}`,
  );
  return { message: lines.join('\n'), inForce };
}
