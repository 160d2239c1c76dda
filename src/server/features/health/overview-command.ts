// `npm run admin -- overview`: what the database and the disk tell. The server itself is on /admin, /metrics and in its log.
import { createDailyCounts } from './daily-counts.ts';
import { getSizes } from './sizes.ts';
import { version } from '#server/base/version.ts';
import type {
  AdminCommand,
  CommandContext,
  CommandReport,
} from '#server/commands/admin-command.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { runOnDatabase } from '#server/commands/write-change.ts';

const mebibyte = 1024 ** 2;

export const overviewCommand: AdminCommand = {
  name: 'overview',
  description:
    'says the version, sizes, and how many messages and sign-ups the last days had, in coarse numbers',
  takes: [],
  run: reportOverview,
};

async function reportOverview({ config }: CommandContext): Promise<CommandReport> {
  const { accountRecords, server: keys, check } = loadCommandKeys(config);
  return runOnDatabase(config.database, async ({ db }) => {
    await check(db);
    const daily = await createDailyCounts(db, accountRecords, keys.dailyCounts).read();
    const sizes = await getSizes(db, config);
    const lines = [
      `Version ${version}, ${config.database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
      `Database ${formatMebibytes(sizes.database)}, pictures ${formatMebibytes(sizes.pictures)}, free ${formatMebibytes(sizes.free)}`,
      '',
      'Day (UTC)     Messages  Sign-ups   in steps of 100 and 10',
      ...daily.map(
        ({ day, messageTotal, signUpTotal }) =>
          `${day}  ${String(messageTotal).padStart(10)}${String(signUpTotal).padStart(10)}`,
      ),
    ];
    return { message: lines.join('\n'), version, sizes, daily };
  });
}

function formatMebibytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}
