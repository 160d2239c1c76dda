// What read marks cost in a room where every member reads.
import { Load } from '../load.ts';
import { startMarking } from '../marking.ts';
import { waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';

export const readMarks: Scenario = {
  title: 'Read marks from every client in a room of 2,000, 5 messages per second',
  systems: ['backchannel'],
  workload: { clients: 2000, rooms: 1, rate: 5, seconds: 10, messages: 2000 },
  figures: [
    { key: 'withoutMs', label: 'server ms per message, without read marks', digits: 2 },
    { key: 'withMs', label: 'server ms per message, with read marks', digits: 2 },
    { key: 'ratio', label: 'with ÷ without', digits: 2 },
    { key: 'markUs', label: 'server µs per read mark', digits: 0 },
    { key: 'marksPerSecond', label: 'read marks per second', digits: 0 },
    { key: 'withoutP99Ms', label: 'delivery p99 without, ms' },
    { key: 'withP99Ms', label: 'delivery p99 with, ms' },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, rooms, rate, seconds, messages } = workload;
  // Every member has posted before, as in a room that is in use.
  const { pid } = await start({ storedMessages: messages });
  const load = new Load(system, clients, rooms);
  await load.connectAll();
  await load.run(pid, rate, 2);
  await waitForQuietMachine();
  const plainFigures = await load.run(pid, rate, seconds);
  const marking = startMarking(load);
  const figuresWithMarks = await load.run(pid, rate, seconds);
  const marks = marking.stop();
  load.closeAll();
  const extraMs =
    (figuresWithMarks.cpuPerMessageMs - plainFigures.cpuPerMessageMs) * figuresWithMarks.sent;
  return {
    figures: {
      withoutMs: plainFigures.cpuPerMessageMs,
      withMs: figuresWithMarks.cpuPerMessageMs,
      ratio: figuresWithMarks.cpuPerMessageMs / plainFigures.cpuPerMessageMs,
      markUs: (extraMs * 1000) / marks,
      marksPerSecond: marks / seconds,
      withoutP99Ms: plainFigures.p99Ms,
      withP99Ms: figuresWithMarks.p99Ms,
    },
    flags: [...new Set([...plainFigures.flags, ...figuresWithMarks.flags])],
  };
}
