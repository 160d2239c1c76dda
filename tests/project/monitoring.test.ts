// The files for Prometheus and Grafana in deploy/, compared with a running server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { projectRoot } from '../../scripts/run-tool.ts';

const app = setUpApp();
/** The names of all samples, and the values of each label of each name. */
const served = new Map<string, Map<string, Set<string>>>();
beforeAll(async () => {
  const page = await (await fetch(`${app.origin}/metrics`)).text();
  for (const [, name = '', labels = ''] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const knownLabels = served.get(name) ?? new Map<string, Set<string>>();
    served.set(name, knownLabels);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      knownLabels.set(label, (knownLabels.get(label) ?? new Set()).add(value));
    }
  }
});

const loadFile = (file: string) => readFileSync(join(projectRoot, 'deploy', file), 'utf8');

/** What Prometheus itself knows of each target. */
const ownLabels = ['job', 'instance'];

/** Each metric of the query with its label matchers, as `name label=~"values"`; unknown ones are listed. */
function findUnknown(query: string): string[] {
  const unknown: string[] = [];
  const uses = query.matchAll(/\b((?:backchannel|process|nodejs)_\w+)(?:\{([^}]*)\})?/g);
  for (const [, name = '', matchers = ''] of uses) {
    const labels = served.get(name);
    if (!labels) unknown.push(name);
    for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
      if (ownLabels.includes(label)) continue;
      for (const value of values.split('|')) {
        if (!labels?.get(label)?.has(value)) unknown.push(`${name} ${label}="${value}"`);
      }
    }
  }
  for (const [, list = ''] of query.matchAll(/\bby \(([^)]*)\)/g)) {
    const labels = [...served.values()].flatMap((knownLabels) => [...knownLabels.keys()]);
    unknown.push(...list.split(', ').filter((label) => !labels.includes(label)));
  }
  return unknown;
}

interface Panel {
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string }[];
}

test('the dashboard names all metrics and labels that are served, and no others [METRIC-7]', () => {
  const { panels } = JSON.parse(loadFile('grafana-dashboard.json')) as { panels: Panel[] };
  expect(panels.length).toBeGreaterThan(15);

  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(queries.flatMap(findUnknown)).toEqual([]);

  const all = queries.join('\n');
  const families = [...served.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(families.filter((name) => !all.includes(name))).toEqual([]);
  for (const { targets } of panels) {
    const legends = targets.flatMap(({ legendFormat }) => [...legendFormat.matchAll(/\{\{(\w+)/g)]);
    for (const [, label = ''] of legends) {
      expect([...served.values()].some((knownLabels) => knownLabels.has(label))).toBe(true);
    }
  }
});

test('the alert rules name only metrics and label values that are served [METRIC-7]', () => {
  const rules = loadFile('prometheus-alerts.yml');

  expect(rules.match(/- alert: Backchannel\w+\n/g)?.length).toBeGreaterThan(10);
  expect(rules.match(/summary: /g)?.length).toBe(rules.match(/- alert: /g)?.length);
  expect(findUnknown(rules)).toEqual([]);
});

test('the check finds a metric, a value and a label that are not served [METRIC-7]', () => {
  const query =
    'sum by (class) (rate(backchannel_posts_total[5m])) + backchannel_mails_total{outcome="lost", job="x"}';

  expect(findUnknown(query)).toEqual([
    'backchannel_posts_total',
    'backchannel_mails_total outcome="lost"',
    'class',
  ]);
});
