// A proxy between a node and Redis. It loses, repeats and delays the messages of other nodes; commands and their answers stay.
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';

export type BusProxy = Pick<PostgresProxy, 'url' | 'freeze' | 'thaw' | 'end'>;

/** @param arrivals how many milliseconds later each copy of a message arrives; without any it is lost */
export function startBusProxy(
  target: string,
  arrivals: () => readonly number[] = () => [0],
): Promise<BusProxy> {
  return startPostgresProxy(target, (write) => {
    let rest: Buffer = Buffer.alloc(0);
    return (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end = findEndOfValue(rest, 0); end > 0; end = findEndOfValue(rest, 0)) {
        const value = rest.subarray(0, end);
        rest = rest.subarray(end);
        if (!isMessage(value)) write(value);
        else {
          for (const delay of arrivals()) {
            if (delay === 0) write(value);
            else setTimeout(() => write(value), delay);
          }
        }
      }
    };
  });
}

/** A message of a channel, in version 2 or 3 of the protocol. */
const isMessage = (value: Buffer) =>
  /^[*>]3\r\n\$7\r\nmessage\r\n/.test(value.toString('latin1', 0, 20));

/** Where the value that begins at this place ends; 0 if more of it is to come. */
function findEndOfValue(data: Buffer, offset: number): number {
  const lineEnd = data.indexOf('\r\n', offset);
  if (lineEnd < 0) return 0;
  const type = String.fromCharCode(data[offset]!);
  const size = Math.max(0, Number(data.toString('latin1', offset + 1, lineEnd)));
  let end = lineEnd + 2;
  if ('$=!'.includes(type)) {
    if (data[offset + 1] !== 45 /* - */) end += size + 2;
    return end <= data.length ? end : 0;
  }
  const partsOfItem: Record<string, number> = { '*': 1, '>': 1, '~': 1, '%': 2 };
  for (let valuesLeft = size * (partsOfItem[type] ?? 0); valuesLeft > 0; valuesLeft--) {
    end = findEndOfValue(data, end);
    if (end === 0) return 0;
  }
  return end;
}
