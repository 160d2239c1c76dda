// Checks that hold for every answer, whatever the request was.
import { z } from 'zod';
import { type ErrorCode, errors, isErrorReason } from '#contract/errors.ts';
import { http } from '#contract/http.ts';
import type { RouteName } from '#contract/routes.ts';
import { serverFrame } from '#contract/socket.ts';

export interface Findings {
  readonly list: readonly string[];
  /** The count of each kind of answer: codes, statuses, frame types. */
  readonly seen: ReadonlyMap<string, number>;
  frame(sender: string, text: string, sent: string): void;
  /** @param route the route that the path matches, or null */
  reply(sender: string, route: RouteName | null, status: number, text: string, sent: string): void;
  add(finding: string): void;
}

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];
const errorBody = z.strictObject({
  code: z.enum(codes),
  message: z.string().max(300),
  reason: z.string().refine(isErrorReason).optional(),
  values: z.record(z.string(), z.string()).optional(),
});

/** @param listMarks data of other accounts that an answer to this account must not contain */
export function createFindings(listMarks: (sender: string) => readonly string[]): Findings {
  const list: string[] = [];
  const counts = new Map<string, number>();
  const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);

  function add(finding: string): void {
    if (list.length < 50) list.push(finding);
  }

  function checkMarks(sender: string, text: string, sentText: string): void {
    const mark = listMarks(sender).find((candidate) => text.includes(candidate));
    if (mark) {
      add(
        `${sender} was told "${mark}", which is of others: ${shorten(text)} after ${shorten(sentText)}`,
      );
    }
  }

  return {
    list,
    seen: counts,
    add,
    frame(sender, text, sentText) {
      checkMarks(sender, text, sentText);
      const parsed = serverFrame.safeParse(toJson(text));
      if (!parsed.success) {
        return add(`an invalid frame: ${shorten(text)} after ${shorten(sentText)}`);
      }
      const frame = parsed.data;
      count(frame.type === 'nack' ? `nack ${frame.code}` : frame.type);
      if (frame.type === 'nack' && (frame.code === 'INTERNAL' || frame.code === 'UNAVAILABLE')) {
        add(`${frame.code} after ${shorten(sentText)}`);
      }
    },
    reply(sender, route, status, text, sentText) {
      checkMarks(sender, text, sentText);
      count(`status ${status}`);
      if (status >= 500) add(`status ${status}, ${shorten(text)} after ${shorten(sentText)}`);
      // Node rejects invalid HTTP before our code runs.
      if (text === '' && [400, 413, 417, 431].includes(status)) return;
      if (status >= 400 && !errorBody.safeParse(toJson(text)).success) {
        add(`an invalid error: ${status} ${shorten(text)} after ${shorten(sentText)}`);
      }
      if (status === 200 && route && !http[route].reply.safeParse(toJson(text)).success) {
        add(`a reply of ${route} that is invalid: ${shorten(text)} after ${shorten(sentText)}`);
      }
    },
  };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shorten(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length})` : text;
}
