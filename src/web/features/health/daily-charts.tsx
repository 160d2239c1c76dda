import { useId } from 'react';
import type { Overview } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import { formatCount, formatDay } from '#web/format.ts';
import styles from './daily-charts.module.css';

type Day = Overview['daily'][number];
type Total = 'messageTotal' | 'signUpTotal';

/** Messages and sign-ups of the last complete days. */
export function DailyCharts({ daily }: Pick<Overview, 'daily'>) {
  return (
    <section aria-labelledby="admin-days">
      <h2 id="admin-days">Per day</h2>
      <div className={styles.charts}>
        <Chart title="Messages" daily={daily} total="messageTotal" step={overviewSteps.messages} />
        <Chart title="Sign-ups" daily={daily} total="signUpTotal" step={overviewSteps.signUps} />
      </div>
      <details className={styles.details}>
        <summary>Show as a table</summary>
        <table className={styles.table}>
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
      </details>
    </section>
  );
}

interface ChartProps {
  title: string;
  daily: readonly Day[];
  total: Total;
  step: number;
}

function Chart({ title, daily, total, step }: ChartProps) {
  const id = useId();
  const highest = Math.max(...daily.map((day) => day[total]));
  const first = daily.at(0)?.day;
  const last = daily.at(-1)?.day;
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id}>
        <span className={styles.title}>{title}</span>
        <span className={styles.meta}>
          {highest === 0
            ? `Fewer than ${step} on most days`
            : `Up to about ${formatCount(highest)}`}
        </span>
      </figcaption>
      <div className={styles.bars} data-empty={highest === 0} aria-hidden="true">
        {daily.map((day) => (
          <span
            key={day.day}
            className={styles.bar}
            style={{ blockSize: `${highest === 0 ? 0 : (day[total] / highest) * 100}%` }}
          />
        ))}
      </div>
      {first && last && (
        <p className={styles.ends} aria-hidden="true">
          <span>{formatDay(first)}</span>
          <span>{formatDay(last)}</span>
        </p>
      )}
    </figure>
  );
}
