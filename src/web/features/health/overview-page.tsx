// The health of the server for operators (/admin): parts that fail, sizes, numbers per day and warnings; and the
// settings in force (`settings-page.tsx`). The numbers arrive coarse from the server, because an operator may be
// in a class and must not see in them what one student does.
import type { Overview, ServerPart } from '#contract/health.ts';
import { toErrorMessage } from '#web/api.ts';
import { formatDay, formatPastDay } from '#web/format.ts';
import { Icon } from '#web/ui/icon.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Status } from '#web/ui/status.tsx';
import { TabPage, WaitingTabPage } from '#web/ui/tabbed-screen.tsx';
import { useCall } from '#web/data/use-call.ts';
import { formatNumber, getText, getTexts, language } from '#web/get-text.ts';
import styles from './overview-page.module.css';

const partLabels: Record<ServerPart, string> = getTexts('health.part');

const healthLabels: Record<Overview['parts'][number]['health'], string> = getTexts('health.state');

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
    <TabPage label={getText('health.overview.title')} className={styles.column}>
      <Status>
        {isError && (
          <p className={styles.note}>
            {getText('health.overview.stale', { problem: toErrorMessage(error) })}
          </p>
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
      <h2 id="admin-days">{getText('health.days.title')}</h2>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">{getText('health.days.day')}</th>
            <th scope="col">{getText('health.days.messages')}</th>
            <th scope="col">{getText('health.days.signUps')}</th>
          </tr>
        </thead>
        <tbody>
          {daily.map(({ day, messageTotal, signUpTotal }) => (
            <tr key={day}>
              <th scope="row">{formatDay(day)}</th>
              <td>{formatNumber(messageTotal)}</td>
              <td>{formatNumber(signUpTotal)}</td>
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
      <h2 id="admin-health">{getText('health.part.title')}</h2>
      <ul className="divided" aria-label={getText('health.part.label')}>
        {parts.map(({ part, health, explanation }) => (
          <li key={part} className={styles.part} data-health={health}>
            <Icon name={health === 'good' ? 'check' : 'alert'} />
            <span className="medium">{partLabels[part]}</span>
            <span className={styles.health}>{healthLabels[health]}</span>
            <span className={styles.explanation} dir="auto">
              {explanation}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Figures({ overview: { version, sockets, sizes } }: { overview: Overview }) {
  const figures = [
    [getText('health.now.version'), version],
    [getText('health.now.connections'), getText('health.now.connectionCount', { count: sockets })],
    [getText('health.now.database'), formatBytes(sizes.database)],
    [getText('health.now.pictures'), formatBytes(sizes.pictures)],
    [getText('health.now.free'), formatBytes(sizes.free)],
  ] as const;
  return (
    <section aria-labelledby="admin-figures">
      <h2 id="admin-figures">{getText('health.now.title')}</h2>
      <dl className={styles.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="meta">{name}</dt>
            <dd className="medium">{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>{getText('health.now.hint')}</p>
    </section>
  );
}

function formatBytes(bytes: number | null): string {
  if (bytes === null) return getText('health.size.unknown');
  if (bytes === 0) return getText('health.size.small');
  const gigabytes = bytes / 1024 ** 3;
  if (gigabytes < 1) {
    return getText('health.size.megabytes', { count: Math.round(bytes / 1024 ** 2) });
  }
  const digits = gigabytes < 10 ? 1 : 0;
  const style = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return getText('health.size.gigabytes', { size: gigabytes.toLocaleString(language, style) });
}

function Warnings({ warnings }: Pick<Overview, 'warnings'>) {
  return (
    <section aria-labelledby="admin-warnings">
      <h2 id="admin-warnings">{getText('health.warnings.title')}</h2>
      {warnings.length === 0 ? (
        <p className={styles.note}>{getText('health.warnings.empty')}</p>
      ) : (
        <ul className={`${styles.warnings} divided`} aria-label={getText('health.warnings.label')}>
          {warnings.map(({ event, day, times }) => (
            <li key={`${day} ${event}`}>
              <code>{event}</code>
              <span className={styles.note}>
                {getText('health.warnings.day', { day: formatPastDay(day), count: times ?? 0 })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
