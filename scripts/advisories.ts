// Asks npm for published weaknesses of the installed packages.
import { spawnSync } from 'node:child_process';
import { countCheck, type Counts } from './test-counts.ts';
import { projectRoot } from './run-tool.ts';

/** The advisories that do not concern this project, with the reason. */
const accepted: Readonly<Record<string, string>> = {};

interface Advisory {
  /** Such as https://github.com/advisories/GHSA-2vg6-77g8-24mp. */
  url: string;
  title: string;
  severity: string;
}

interface AuditReport {
  /** Why there is no answer, such as `405 Method Not Allowed`: some mirrors of the registry know no weaknesses. */
  message?: string;
  vulnerabilities?: Record<string, { name: string; via: readonly (Advisory | string)[] }>;
}

/** Prints each advisory. Those that are not accepted fail. Without a registry that answers, nothing is checked or counted. */
export function checkAdvisories(): Counts {
  const { stdout } = spawnSync('npm', ['audit', '--json'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { vulnerabilities, message = 'no report' } = parseReport(stdout);
  if (!vulnerabilities) {
    console.log(`The packages were NOT checked (${message}). Try it with another registry.`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
  const open = new Set<string>();
  for (const { name, via } of Object.values(vulnerabilities)) {
    for (const advisory of via) {
      if (typeof advisory === 'string') continue;
      const id = advisory.url.split('/').at(-1) ?? '';
      const reason = accepted[id];
      console.log(
        `${id} ${advisory.severity}: ${name}, ${advisory.title}${reason ? ` (accepted: ${reason})` : ''}`,
      );
      if (!reason) open.add(id);
    }
  }
  console.log(
    open.size === 0
      ? 'No open advisory.'
      : 'Update the packages, or say in scripts/advisories.ts why an advisory does not concern us.',
  );
  return countCheck(open.size === 0);
}

function parseReport(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return {};
  }
}
