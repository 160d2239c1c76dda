// Counts the work of the server, and makes the page /metrics of it once a minute. The page is the same text until the next
// renewal: a reader who asks more often learns nothing more, and a scrape costs nothing (METRIC-8).
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Registry, type Histogram } from 'prom-client';
import type { ErrorCode } from '#contract/errors.ts';
import type { Log } from './log.ts';
import { createNoisyGauge, renewalMs } from './noisy-gauge.ts';
import { createProcessMetrics, roundUp } from './process-metrics.ts';
import {
  counters,
  gaugeStep,
  histograms,
  isFailure,
  queues,
  toRejectionLabel,
  watchedParts,
  type CounterName,
  type HistogramName,
  type LabelValue,
  type QueueName,
  type WatchedPart,
} from './served-metrics.ts';

/** What the parts of the server call. It is cheap enough for each frame. */
export interface WorkCounter {
  count<Name extends CounterName>(name: Name, value: LabelValue<Name>, amount?: number): void;
  /** @param value in seconds, or the size of a batch */
  observe(name: HistogramName, value: number): void;
  countRejection(code: ErrorCode): void;
}

export interface Metrics extends WorkCounter {
  /** Makes the first page, and renews it each minute. */
  start(sources: MetricSources): Promise<void>;
  /** The current page, in Prometheus' text format. */
  page(): string;
  readonly contentType: string;
  /** The number of open sockets on the current page. */
  openSockets(): number;
  stop(): Promise<void>;
}

/** Numbers that are read at each renewal. Those of people or their actions need a NoisyGauge below. */
export interface MetricSources {
  openSockets(): number;
  /** Whether the last commit failed. */
  isSavingFailed(): boolean;
  /** The age of the newest scheduled backup. */
  getBackupAgeHours(): number;
  queues: Readonly<Record<QueueName, () => number | Promise<number>>>;
  /** Whether each part fails. It is served exactly, so it must not depend on what one person does in a part that works. */
  failing: Readonly<Record<WatchedPart, () => boolean | Promise<boolean>>>;
  /** The age of the oldest case without a decision. */
  getOldestCaseDays(): Promise<number>;
  /** Redis between several nodes; null for a server without other nodes. */
  bus: BusHealth | null;
}

export interface BusHealth {
  isConnected(): boolean;
  /** The time that a message of this node needed through Redis, back to this node. */
  delayMs(): number;
}

/** How long a renewal waits for the lengths of queues. Later ones appear with the next renewal. */
const timeoutMs = 2_000;

export function createMetrics(
  build: Readonly<Record<'version' | 'database', string>>,
  log: Log,
): Metrics {
  const registry = new Registry();
  const counts = Object.entries(counters).flatMap(([key, definition]) =>
    createCounts(key, definition, registry),
  );
  const countByKey = new Map(counts.map((count) => [count.key, count]));
  const distributions = new Map(
    Object.entries(histograms).map(([key, definition]) => [
      key,
      createDistribution(definition, registry),
    ]),
  );
  const processMetrics = createProcessMetrics(registry);
  const gauges = createGauges(build, registry);
  const coarseSockets = createNoisyGauge(gaugeStep);
  const measurements = createMeasurements();
  let page = '';
  let servedSockets = 0;
  let currentRenewal: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function renew(sources: MetricSources): Promise<void> {
    await measurements.renew(sources);
    for (const { part, isFailing } of measurements.parts) {
      gauges.failing.set({ part }, Number(isFailing));
    }
    for (const { queue, coarse, exact } of measurements.queueLengths) {
      gauges.queueLength.set({ queue }, coarse.renew(exact));
    }
    for (const { renew: renewNumber } of [...counts, ...distributions.values()]) renewNumber();
    servedSockets = coarseSockets.renew(sources.openSockets());
    gauges.sockets.set(servedSockets);
    gauges.savingFailed.set(Number(sources.isSavingFailed()));
    if (sources.bus) {
      gauges.busLost.set(Number(!sources.bus.isConnected()));
      gauges.busDelay.set(roundUp(sources.bus.delayMs()) / 1000);
    }
    gauges.oldestCase.set(caseAges.findLast((days) => days <= measurements.oldestCase.days) ?? 0);
    gauges.backupAge.set(sources.getBackupAgeHours());
    processMetrics.renew();
    gauges.renewedAt.set(Math.round(Date.now() / 1000));
    page = await registry.metrics();
  }

  function add(key: string, amount: number): void {
    const count = countByKey.get(key);
    if (count) count.exact += amount;
  }

  return {
    count: (name, value, amount = 1) => add(`${name} ${value}`, amount),
    observe: (name, value) => distributions.get(name)?.observe(value),
    countRejection(code) {
      if (isFailure(code)) add(`failures ${code}`, 1);
      else add(`refusals ${toRejectionLabel(code)}`, 1);
    },
    async start(sources) {
      await renew(sources);
      timer = setInterval(() => {
        currentRenewal ??= renew(sources)
          .catch((error: unknown) => log.warn('metrics.failed', { error }))
          .finally(() => {
            currentRenewal = null;
          });
      }, renewalMs).unref();
    },
    page: () => page,
    contentType: registry.contentType,
    openSockets: () => servedSockets,
    async stop() {
      if (timer) clearInterval(timer);
      processMetrics.stop();
      await currentRenewal;
    },
  };
}

/** The numbers of the state of the server, and a constant one that names its versions. */
function createGauges(build: Readonly<Record<'version' | 'database', string>>, registry: Registry) {
  const registers = [registry];
  const labels = { ...build, node: process.versions.node };
  new Gauge({
    name: 'backchannel_build_info',
    help: 'Versions of the server and of Node.js, and the kind of database.',
    labelNames: Object.keys(labels),
    registers,
  }).set(labels, 1);
  return {
    renewedAt: new Gauge({
      name: 'backchannel_metrics_renewed_timestamp_seconds',
      help: 'When this page was made, in seconds since 1970. It is made once a minute.',
      registers,
    }),
    sockets: new Gauge({
      name: 'backchannel_sockets',
      help: 'Open WebSocket connections.',
      registers,
    }),
    savingFailed: new Gauge({
      name: 'backchannel_saving_failed',
      help: '1 if the last commit failed, else 0.',
      registers,
    }),
    failing: new Gauge({
      name: 'backchannel_failing',
      help: '1 if the part fails, else 0: no mail leaves; no backup, an old or unreadable one; a clock that differs; little free disk.',
      labelNames: ['part'],
      registers,
    }),
    busLost: new Gauge({
      name: 'backchannel_bus_lost',
      help: '1 if this node has no connection to Redis, else 0.',
      registers,
    }),
    busDelay: new Gauge({
      name: 'backchannel_bus_delay_seconds',
      help: 'Time of a notice through Redis and back, rounded up. 0 on a server without other nodes.',
      registers,
    }),
    backupAge: new Gauge({
      name: 'backchannel_backup_age_hours',
      help: 'Whole hours since the newest backup in BACKUP_DIR, +Inf if there is none, 0 without BACKUP_DIR.',
      registers,
    }),
    oldestCase: new Gauge({
      name: 'backchannel_oldest_case_days',
      help: 'Days that the oldest case waits for a decision: 0, 2, 7, 14 or 30, rounded down.',
      registers,
    }),
    queueLength: new Gauge({
      name: 'backchannel_queue_length',
      help: 'Mails, notifications, changes for a hosted search, and uploads that wait or are in progress.',
      labelNames: ['queue'],
      registers,
    }),
  };
}

/** The served ages in days. A younger case counts as none, so that nothing shows on the day of a report. */
const caseAges = [0, 2, 7, 14, 30];

/** The numbers that need a reading of the database, a folder or another server. */
function createMeasurements() {
  const queueLengths = queues.map((queue) => ({
    queue,
    coarse: createNoisyGauge(gaugeStep),
    exact: 0,
  }));
  const parts = watchedParts.map((part) => ({ part, isFailing: false }));
  const oldestCase = { days: 0 };
  return {
    queueLengths,
    parts,
    oldestCase,
    /** A database that does not respond must not keep the other metrics from being served. */
    async renew(sources: MetricSources): Promise<void> {
      const readings = [
        ...queueLengths.map(async (length) => {
          length.exact = await sources.queues[length.queue]();
        }),
        ...parts.map(async (watched) => {
          watched.isFailing = await sources.failing[watched.part]();
        }),
        (async () => {
          oldestCase.days = await sources.getOldestCaseDays();
        })(),
      ];
      const timeout = sleep(timeoutMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(readings), timeout]);
    },
  };
}

/** One number for each label value. All are served from the start, as 0. */
function createCounts(
  key: string,
  { name, help, label, steps }: (typeof counters)[CounterName],
  registry: Registry,
) {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  return Object.entries<number>(steps).map(([value, step]) => {
    const coarse = createNoisyGauge(step);
    let served = 0;
    const count = {
      key: `${key} ${value}`,
      exact: 0,
      renew() {
        const total = coarse.renew(count.exact);
        counter.inc({ [label]: value }, total - served);
        served = total;
      },
    };
    return count;
  });
}

/**
 * A histogram whose buckets are coarse numbers. prom-client's own counts exactly, and its sum would tell the last value.
 * Here, the sum takes each value as the upper bound of its bucket.
 */
function createDistribution(
  { name, help, step, buckets }: (typeof histograms)[HistogramName],
  registry: Registry,
) {
  const last = buckets.at(-1) ?? 0;
  const parts = [...buckets, Infinity].map((bound) => ({
    bound,
    exact: 0,
    served: 0,
    coarse: createNoisyGauge(step),
  }));

  function toLines() {
    const lines = parts.map(({ bound }, n) => ({
      metricName: `${name}_bucket`,
      labels: { le: bound === Infinity ? '+Inf' : bound },
      value: parts.slice(0, n + 1).reduce((total, { served }) => total + served, 0),
    }));
    const sum = parts.reduce(
      (total, { bound, served }) => total + served * Math.min(bound, last),
      0,
    );
    return [
      ...lines,
      { metricName: `${name}_sum`, labels: {}, value: Number(sum.toPrecision(12)) },
      { metricName: `${name}_count`, labels: {}, value: lines.at(-1)?.value ?? 0 },
    ];
  }

  const metric = {
    name,
    help,
    type: 'histogram',
    get: async () => ({ ...metric, values: toLines() }),
  };
  registry.registerMetric(metric as unknown as Histogram);
  return {
    observe(value: number) {
      const part = parts.find(({ bound }) => value <= bound);
      if (part) part.exact += 1;
    },
    renew() {
      for (const part of parts) part.served = part.coarse.renew(part.exact);
    },
  };
}
