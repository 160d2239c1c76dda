import { Fragment } from 'react';
import type { SettingInForce } from '#contract/admin.ts';
import { errorMessage } from '#web/api.ts';
import { useSettingsInForce } from '#web/data/admin.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './settings-page.module.css';

const sourceLabels: Record<SettingInForce['source'], string> = {
  default: 'Default',
  environment: 'Environment',
  file: 'File',
};

/** The settings that the server started with. Operators of the app cannot change them. */
export function SettingsPage() {
  const { data, isError, error, refetch } = useSettingsInForce();
  const inForce = data?.inForce ?? [];
  const isLimit = ({ setting }: SettingInForce) => setting.startsWith('LIMIT_');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.page} role="group" aria-label="Settings" tabIndex={0}>
      <div className={styles.column}>
        {isError && (
          <div role="alert">
            <EmptyState drawing="lens" text={errorMessage(error)}>
              <Button onClick={() => void refetch()}>Retry</Button>
            </EmptyState>
          </div>
        )}
        {!data && !isError && (
          <div role="status" aria-label="Loading">
            <Skeleton width="80%" />
          </div>
        )}
        {data && (
          <>
            <p className={styles.note}>
              The server reads its settings when it starts, from environment variables and files.
              Secrets are not shown.
            </p>
            <Settings title="Settings" inForce={inForce.filter((one) => !isLimit(one))} />
            <Settings title="Limits" inForce={inForce.filter(isLimit)} />
          </>
        )}
      </div>
    </div>
  );
}

function Settings({ title, inForce }: { title: string; inForce: readonly SettingInForce[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <table className={styles.table} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {inForce.map(({ setting, settingValue, source }) => (
            <tr key={setting} data-source={source}>
              <th scope="row">
                <code>
                  {/* Long names break after an underscore. */}
                  {setting.split(/(?<=_)/).map((part) => (
                    <Fragment key={part}>
                      {part}
                      <wbr />
                    </Fragment>
                  ))}
                </code>
              </th>
              <td>{settingValue}</td>
              <td>{sourceLabels[source]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
