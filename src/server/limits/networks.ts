import type { Network } from './client-addresses.ts';
import type { Limiter } from './limiter.ts';
import type { RateName } from './rates.ts';

/**
 * Counts against each of the networks around an address, a wider one so many times more loosely.
 *
 * @throws {AppError} TOO_MANY, and then nothing counts
 * @returns gives back what was taken
 */
export function takeEach(limiter: Limiter, name: RateName, networks: readonly Network[]) {
  const taken: Network[] = [];
  const giveBack = () => {
    for (const { key, width } of taken.splice(0)) limiter.giveBack(name, key, 1 / width);
  };
  try {
    for (const network of networks) {
      limiter.take(name, network.key, 1 / network.width);
      taken.push(network);
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  return giveBack;
}
