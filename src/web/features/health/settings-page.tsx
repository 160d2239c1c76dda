import { Fragment } from 'react';
import type { SettingInForce } from '#contract/health.ts';
import { QueryState } from '#web/ui/query-state.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { useCall } from '#web/data/use-call.ts';
import styles from './settings-page.module.css';

const sourceLabels: Record<SettingInForce['source'], string> = {
  default: 'Default',
  environment: 'Environment',
  file: 'File',
};

/** The settings that the server started with. Operators of the app cannot change them. */
export function SettingsPage() {
  const settings = useCall('readSettingsInForce', {});
  const { data } = settings;
  return (
    <TabPage label="Settings" className={styles.column}>
      <QueryState query={settings} />
      {data && (
        <>
          <p className="meta">
            The server reads its settings when it starts, from environment variables and files.
            Secrets are not shown.
          </p>
          <Settings inForce={data.inForce} />
        </>
      )}
    </TabPage>
  );
}

function Settings({ inForce }: { inForce: readonly SettingInForce[] }) {
  return (
    <section>
      <h2>Settings</h2>
      <table className={styles.table} aria-label="Settings">
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
