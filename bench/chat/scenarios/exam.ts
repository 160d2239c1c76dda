// The evening before an exam: everyone is in one room, reads, and reacts.
import { Load } from '../load.ts';
import { startMarking } from '../marking.ts';
import { waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';

const reactionsPerMessage = 1;

export const exam: Scenario = {
  title: 'One room of 3,000, 50 messages per second, all read and some react',
  systems: ['backchannel'],
  workload: { clients: 3000, rooms: 1, rate: 50, seconds: 15, messages: 2000 },
  figures: [
    { key: 'p50Ms', label: 'delivery p50, ms' },
    { key: 'p99Ms', label: 'delivery p99, ms' },
    { key: 'deliveriesPerSecond', label: 'deliveries per second', digits: 0 },
    { key: 'marksPerSecond', label: 'read marks per second', digits: 0 },
    { key: 'serverCores', label: 'server cores', digits: 2 },
    { key: 'generatorCores', label: 'generator cores', digits: 2 },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, rooms, rate, seconds, messages } = workload;
  const { pid } = await start({ storedMessages: messages });
  const load = new Load(system, clients, rooms);
  await load.connectAll();
  await load.run(pid, rate / 5, 2);
  await waitForQuietMachine();
  const marking = startMarking(load);
  const reacting = setInterval(
    () => load.clients[Math.floor(Math.random() * clients)]?.react?.(),
    1000 / (rate * reactionsPerMessage),
  );
  const { flags, ...figures } = await load.run(pid, rate, seconds);
  clearInterval(reacting);
  const marksPerSecond = marking.stop() / seconds;
  load.closeAll();
  return { figures: { ...figures, marksPerSecond }, flags };
}
