// The settings in force, for operators. A setting without `show` is listed only as set or not set, so that no secret and no
// address of an account leaves the server.
import type { SettingInForce } from '#contract/health.ts';
import type { Config } from '#server/config/config-types.ts';
import { settingNames, settings, type Setting, type SettingName } from '#server/config/settings.ts';

/** Lists the settings that the server started with: first those that are set, each group in the order of the documentation. */
export function listSettingsInForce(config: Config): SettingInForce[] {
  const isDefault = (setting: SettingName) => !config.sources.has(setting);
  return settingNames
    .toSorted((a, b) => Number(isDefault(a)) - Number(isDefault(b)))
    .map((setting) => ({
      setting,
      settingValue: showSetting(setting, config),
      source: config.sources.get(setting) ?? 'default',
    }));
}

function showSetting(name: SettingName, config: Config): string {
  const { show }: Setting = settings[name];
  if (show) return show(config);
  return config.sources.has(name) ? 'set' : 'not set';
}
