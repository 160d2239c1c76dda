// A scenario measures one thing that a student waits for, in one browser against one server.
import type { Browser } from '@playwright/test';
import type { Site, SiteOptions } from './site.ts';

export interface Figure {
  key: string;
  label: string;
  digits?: number;
  /** The figure must stay below this value. */
  aim?: number;
}

export interface Measurement {
  figures: Record<string, number>;
  /** What may have disturbed the figures. */
  flags: string[];
}

export interface Run {
  browser: Browser;
  /** Starts a server with generated accounts and classes. The benchmark stops the server after the run. */
  startSite(options?: SiteOptions): Promise<Site>;
}

export interface Scenario {
  figures: readonly Figure[];
  measure(run: Run): Promise<Measurement>;
}
