// The icon with which a newcomer will appear in a class. The server learns it with the first message or reaction. If it
// knew it earlier, the class would see when the member joined.
import { limits } from '#contract/limits.ts';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import type { LogReplica } from '#web/sync/engine/log-replica.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';

type Newcomer = Pick<LogReplica, 'me' | 'personas' | 'hasAppeared'>;

export class IconChoice {
  readonly #storage: TabStorage;
  readonly #key: string;
  /** Null if the member has not chosen. */
  #number: number | null;
  #shown: { of: Newcomer['personas']; number: number; personas: Newcomer['personas'] } | null =
    null;

  /** @param storage the one that sign-out empties of drafts */
  constructor(classId: string, storage: TabStorage) {
    this.#storage = storage;
    this.#key = `draft-icon:${classId}`;
    const number = Number(storage.read(this.#key) ?? NaN);
    this.#number = number >= 0 && number < limits.personaIcons ? Math.floor(number) : null;
  }

  isChosen(): boolean {
    return this.#number !== null;
  }

  choose(icon: string): void {
    this.#number = toNumber(icon);
    this.#storage.write(this.#key, String(this.#number));
  }

  /** Others see the icon, or the member has left. */
  forget(): void {
    if (this.#number === null) return;
    this.#number = null;
    this.#storage.write(this.#key, null);
  }

  /** The number of the icon that the newcomer sees. Undefined if others have seen the persona. */
  findNumber({ me, personas, hasAppeared }: Newcomer): number | undefined {
    return hasAppeared ? undefined : (this.#number ?? toNumber(personas.get(me)?.icon ?? me));
  }

  /** @returns the personas, with the chosen icon; the same map for the same input */
  applyTo({ me, personas, hasAppeared }: Newcomer): Newcomer['personas'] {
    const self = personas.get(me);
    if (hasAppeared || this.#number === null || !self) return personas;
    if (this.#shown?.of !== personas || this.#shown.number !== this.#number) {
      const shownSelf = { ...self, icon: toPersonaIcon(me, this.#number) };
      this.#shown = {
        of: personas,
        number: this.#number,
        personas: new Map(personas).set(me, shownSelf),
      };
    }
    return this.#shown.personas;
  }
}

/** The icon is the memberId, which has no dot, or the memberId with a number. */
function toNumber(icon: string): number {
  return Number(icon.split('.')[1] ?? 0);
}
