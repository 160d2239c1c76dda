import { Fragment } from 'react';
import type { SettingInForce } from '#contract/health.ts';
import { QueryState } from '#web/ui/query-state.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { useCall } from '#web/data/use-call.ts';
import { getText, getTexts } from '#web/get-text.ts';
import styles from './settings-page.module.css';

const sourceLabels: Record<SettingInForce['source'], string> = getTexts('health.source');

/** The settings that the server started with. Operators of the app cannot change them. */
export function SettingsPage() {
  const settings = useCall('readSettingsInForce', {});
  const { data } = settings;
  return (
    <TabPage label={getText('health.settings.title')} className={styles.column}>
      <QueryState query={settings} />
      {data && (
        <>
          <p className="meta">{getText('health.settings.lead')}</p>
          <Settings
            title={getText('health.settings.set')}
            inForce={data.inForce.filter(({ source }) => source !== 'default')}
          />
          <Settings
            title={getText('health.settings.defaults')}
            inForce={data.inForce.filter(({ source }) => source === 'default')}
          />
        </>
      )}
    </TabPage>
  );
}

function Settings({ title, inForce }: { title: string; inForce: readonly SettingInForce[] }) {
  if (inForce.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <table className={styles.table} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{getText('health.settings.setting')}</th>
            <th scope="col">{getText('health.settings.value')}</th>
            <th scope="col">{getText('health.settings.source')}</th>
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
