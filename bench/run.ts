/** `npm run bench -- NAME`: one of our own measurements. The load generator is another project: README.md. */
import { argv } from 'node:process';

const measurements: Readonly<Record<string, () => Promise<unknown>>> = {
  floods: () => import('./floods.ts'),
};

const name = argv[2] ?? '';
const measure = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
if (measure) await measure();
else {
  console.error(`Usage: npm run bench -- ${Object.keys(measurements).join(' | ')}`);
  process.exitCode = 1;
}
