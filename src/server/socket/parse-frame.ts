import { clientFrame, type ClientFrame } from '#contract/socket.ts';

type Parsed =
  | { known: true; frame: ClientFrame }
  /** `rid` is null if the frame has none that an answer can use. */
  | { known: false; rid: number | null };

export function parseFrame(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { known: false, rid: null };
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return { known: true, frame: parsed.data };
  const rid = (value as { rid?: unknown } | null)?.rid;
  // An answer can only carry a non-negative safe integer.
  const answerable = Number.isSafeInteger(rid) && (rid as number) >= 0;
  return { known: false, rid: answerable ? (rid as number) : null };
}
