// `npm run bench` compares chat servers. `npm run bench -- NAME` runs another benchmark of the project.
import { benchChat } from './chat/bench-chat.ts';
import { benchLecture } from './lecture/bench-lecture.ts';
import { benchNodes } from './nodes.ts';
import { benchWorstCases } from './worst-cases.ts';

const benches: Record<string, (args: string[]) => Promise<void>> = {
  chat: benchChat,
  lecture: benchLecture,
  nodes: benchNodes,
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
