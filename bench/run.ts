// `npm run bench` compares chat servers. `npm run bench -- NAME` runs another benchmark of the project.
import { benchChat } from './chat/bench-chat.ts';
import { benchFirstWeek } from './first-week.ts';
import { benchGrowth } from './growth.ts';
import { benchLecture } from './lecture/bench-lecture.ts';
import { benchNodes } from './nodes.ts';
import { benchSearch } from './search/bench-search.ts';
import { benchWorstCases } from './worst-cases.ts';

const benches: Record<string, (args: string[]) => Promise<void>> = {
  chat: benchChat,
  'first-week': benchFirstWeek,
  growth: benchGrowth,
  lecture: benchLecture,
  nodes: benchNodes,
  search: benchSearch,
  starvation: async () => void (await import('./starvation.ts')),
  'worst-cases': benchWorstCases,
};

const args = process.argv.slice(2);
const name = args[0]?.startsWith('-') === false ? args.shift()! : 'chat';
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!bench) {
  console.error(`No such benchmark: ${name}. There are ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
await bench(args);
