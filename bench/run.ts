// `npm run bench -- NAME` runs one of the project's benchmarks. Each has its own folder.
import { benchAccounts } from './accounts/bench-accounts.ts';
import { benchSearch } from './search/bench-search.ts';

const benches: Record<string, (args: string[]) => Promise<void>> = {
  accounts: benchAccounts,
  floods: async () => void (await import('./floods.ts')),
  search: benchSearch,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!bench) {
  console.error(`Say what is to be measured: npm run bench -- ${Object.keys(benches).join(' | ')}`);
  process.exit(1);
}
await bench(args);
