// The health of the server for operators (/admin): parts that fail, sizes, numbers per day and warnings; and the
// settings in force (`settings-page.tsx`). The numbers arrive coarse from the server, because an operator may be
// in a class and must not see in them what one student does.
import type { Overview, ServerPart } from '#contract/health.ts';
import { toErrorMessage } from '#web/api.ts';
import { formatCount, formatDay, formatPastDay } from '#web/format.ts';
import { Icon } from '#web/ui/icon.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Status } from '#web/ui/status.tsx';
import { TabPage, WaitingTabPage } from '#web/ui/tabbed-screen.tsx';
import { useCall } from '#web/data/use-call.ts';
import styles from './overview-page.module.css';

const partLabels: Record<ServerPart, string> = {
  disk: 'Disk',
  database: 'Database',
  mail: 'Mail',
  pictures: 'Pictures',
  search: 'Search',
  backups: 'Backups',
  'server key': 'Server key',
};

const healthLabels: Record<Overview['parts'][number]['health'], string> = {
  good: 'Good',
  warning: 'Warning',
  failed: 'Failed',
};

const skeleton = (
  <div className={styles.column}>
    <Skeleton width={220} />
    <Skeleton width="80%" />
  </div>
);

/** The state of the server, in numbers that are too coarse to show what one person does. */
export function OverviewPage() {
  // The server counts once a minute.
  const overview = useCall('readOverview', {}, { refetchInterval: 60_000 });
  const { data, isError, error } = overview;
  if (!data) {
    return (
      <WaitingTabPage>
        <QueryState query={overview} skeleton={skeleton} />
      </WaitingTabPage>
    );
  }
  return (
    <TabPage label="Overview" className={styles.column}>
      <Status>
        {isError && (
          <p className={styles.note}>These numbers may be old: {toErrorMessage(error)}</p>
        )}
      </Status>
      <Health parts={data.parts} />
      <Figures overview={data} />
      <Days daily={data.daily} />
      <Warnings warnings={data.warnings} />
    </TabPage>
  );
}

/** Messages and sign-ups of the last complete days. */
function Days({ daily }: Pick<Overview, 'daily'>) {
  return (
    <section aria-labelledby="admin-days">
      <h2 id="admin-days">Per day</h2>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Messages</th>
            <th scope="col">Sign-ups</th>
          </tr>
        </thead>
        <tbody>
          {daily.map(({ day, messageTotal, signUpTotal }) => (
            <tr key={day}>
              <th scope="row">{formatDay(day)}</th>
              <td>{formatCount(messageTotal)}</td>
              <td>{formatCount(signUpTotal)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Health({ parts }: Pick<Overview, 'parts'>) {
  return (
    <section aria-labelledby="admin-health">
      <h2 id="admin-health">Health</h2>
      <ul className="divided" aria-label="Health of each part">
        {parts.map(({ part, health, explanation }) => (
          <li key={part} className={styles.part} data-health={health}>
            <Icon name={health === 'good' ? 'check' : 'alert'} />
            <span className="medium">{partLabels[part]}</span>
            <span className={styles.health}>{healthLabels[health]}</span>
            <span className={styles.explanation}>{explanation}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Figures({ overview: { version, sockets, sizes } }: { overview: Overview }) {
  const figures = [
    ['Version', version],
    ['Open connections', sockets === 0 ? 'Few' : `About ${formatCount(sockets)}`],
    ['Database', formatBytes(sizes.database)],
    ['Pictures', formatBytes(sizes.pictures)],
    ['Free on disk', formatBytes(sizes.free)],
  ] as const;
  return (
    <section aria-labelledby="admin-figures">
      <h2 id="admin-figures">Now</h2>
      <dl className={styles.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="meta">{name}</dt>
            <dd className="medium">{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>
        Rounded, and up to ten minutes old, so that no number shows what one person does.
      </p>
    </section>
  );
}

function formatBytes(bytes: number | null): string {
  if (bytes === null) return 'Unknown';
  if (bytes === 0) return 'Below 0.5 GB';
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes < 1
    ? `About ${Math.round(bytes / 1024 ** 2)} MB`
    : `About ${gigabytes < 10 ? gigabytes.toFixed(1) : formatCount(Math.round(gigabytes))} GB`;
}

function Warnings({ warnings }: Pick<Overview, 'warnings'>) {
  return (
    <section aria-labelledby="admin-warnings">
      <h2 id="admin-warnings">Warnings of the last days</h2>
      {warnings.length === 0 ? (
        <p className={styles.note}>None. Problems that few people met appear only in the log.</p>
      ) : (
        <ul className={`${styles.warnings} divided`} aria-label="Warnings">
          {warnings.map(({ event, day, times }) => (
            <li key={`${day} ${event}`}>
              <code>{event}</code>
              <span className={styles.note}>
                {formatPastDay(day)}
                {times !== null && `, about ${formatCount(times)} times`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
