import { defineConfig } from '@playwright/test';
import { firefoxJourneys, toTitlePattern } from './tests/e2e/firefox-journeys.ts';

const webkitJourneys = '**/webkit-journeys.spec.ts';
const judges = '**/judges/*.spec.ts';

const { BACKCHANNEL_BROWSER, BACKCHANNEL_HEADLESS_SHELL = BACKCHANNEL_BROWSER } = process.env;

/** The headless shell has no notifications. */
const notifications = ['**/notifications.spec.ts', '**/push-worker.spec.ts'];

// Chromium obeys the last list alone, so this one repeats what matters of Playwright's.
const disabledFeatures = [
  // The suggestions of the address bar are two pages, which each new window loads: two thirds of its time.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const launchIn = (executablePath: string | undefined) => ({
  ...(executablePath && { executablePath }),
  // Besides what Playwright passes: a browser in a container has no GPU, and a test run
  // talks only to the server under test.
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${disabledFeatures.join(',')}`,
  ],
});

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './tests/e2e/build-web.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: true,
  // Tests wait for a quarter of their time, so one more worker than cores keeps the cores busy.
  workers: 3,
  // On a slow machine a race of one test in 6,000 would refuse a whole change. scripts/test.ts lists what ran twice.
  retries: process.env['CI'] === 'true' ? 1 : 0,
  // Only a failing test waits this long: a machine that others use too may be slow.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  projects: [
    { name: 'chromium', testMatch: notifications },
    // The same engine without windows: a signed-in page costs two thirds of the processor time.
    {
      name: 'headless-shell',
      testIgnore: [webkitJourneys, judges, ...notifications],
      use: { launchOptions: launchIn(BACKCHANNEL_HEADLESS_SHELL) },
    },
    { name: 'firefox', use: { browserName: 'firefox' }, grep: toTitlePattern(firefoxJourneys) },
    // WebDriver drives this one, and no browser of Playwright's.
    { name: 'webkit', testMatch: webkitJourneys },
    // One at a time, because Lighthouse measures times. A judge looks at many screens.
    { name: 'judges', testMatch: judges, workers: 1, timeout: 1_200_000 },
  ],
  use: {
    trace: 'off',
    screenshot: 'off',
    video: 'off',
    launchOptions: launchIn(BACKCHANNEL_BROWSER),
  },
});
