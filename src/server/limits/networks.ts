import type { Network } from './client-addresses.ts';
import type { Limiter } from './limiter.ts';
import type { RateName } from './rates.ts';

/**
 * Counts against each network around an address. Wider networks have proportionally higher limits.
 *
 * @throws {AppError} TOO_MANY; in this case nothing counts
 * @returns a function that gives back what was taken
 */
export function takeFromAll(limiter: Limiter, name: RateName, networks: readonly Network[]) {
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
