import { getText } from '#web/get-text.ts';

const unknownBrowsers: Readonly<Record<string, string>> = {
  'A browser': getText('data.device.browser'),
};

/** The name of a device, which the server keeps in English, such as 'Chrome on Windows' or 'Firefox'. */
export function formatDeviceName(name: string): string {
  const [browserName = '', system] = name.split(' on ');
  const browser = unknownBrowsers[browserName] ?? browserName;
  return system ? getText('data.device.name', { browser, system }) : browser;
}
