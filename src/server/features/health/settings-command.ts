// `npm run admin -- settings`: each setting as a server that starts now would have it.
import { listSettingsInForce } from './settings-in-force.ts';
import type {
  AdminCommand,
  CommandContext,
  CommandReport,
} from '#server/commands/admin-command.ts';

export const settingsCommand: AdminCommand = {
  name: 'settings',
  description:
    'says each setting that a server would start with, and where it comes from; secrets are left out',
  takes: [],
  run: reportSettings,
};

async function reportSettings({ config }: CommandContext): Promise<CommandReport> {
  const inForce = listSettingsInForce(config);
  const width = Math.max(...inForce.map(({ setting }) => setting.length));
  const lines = inForce.map(
    ({ setting, settingValue, source }) =>
      `${setting.padEnd(width)}  ${source.padEnd(11)}  ${settingValue}`,
  );
  return { message: lines.join('\n'), inForce };
}
