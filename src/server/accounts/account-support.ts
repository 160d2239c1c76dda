// What operators may learn of one account and do for it when its owner asks for help. Never its classes, personas or messages.
import { AppError } from '#contract/errors.ts';
import { appendAudit } from '../domain/moderation/audit-log.ts';
import { formatDay } from '../days.ts';
import type { DatabaseTransaction } from '../storage/database.ts';
import {
  findAccount,
  findAccountById,
  findCreatedAt,
  type Address,
} from '../storage/queries/accounts.ts';
import { appendRevocation } from '../storage/queries/revocations.ts';
import { deleteSessions } from '../storage/queries/sessions.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { listDevices, type SignedInDevice } from './devices.ts';

export interface SupportedAccount {
  /** Its own spelling, which can differ from the one that was searched for. */
  email: string;
  verified: boolean;
  /** YYYY-MM-DD */
  createdDay: string;
  signsInWith: ('password' | 'provider')[];
  devices: Pick<SignedInDevice, 'name' | 'signedInDay'>[];
}

/**
 * Finds the account that would sign in with this address. The entry in the audit log is written also if there is none.
 *
 * @param by the operator's name in the audit log
 */
export async function findForSupport(
  unitOfWork: UnitOfWork,
  address: Address,
  by: string,
): Promise<SupportedAccount | null> {
  // Without the address: an entry stays for ever.
  await appendAudit(unitOfWork, { staffName: by, act: 'find-account', reason: '' });
  return readAccount(unitOfWork.db, address);
}

async function readAccount(
  db: DatabaseTransaction,
  address: Address,
): Promise<SupportedAccount | null> {
  const found = await findAccount(db, address);
  if (!found) return null;
  const createdAt = await findCreatedAt(db, found.id);
  const hasProvider = Boolean((await findAccountById(db, found.id))?.signOnKey);
  const devices = await listDevices(db, found.id);
  return {
    email: found.email,
    verified: found.emailVerified,
    createdDay: createdAt ? formatDay(createdAt) : '',
    signsInWith: [
      ...(found.passwordHash === null ? [] : (['password'] as const)),
      ...(hasProvider ? (['provider'] as const) : []),
    ],
    devices: devices.map(({ name, signedInDay }) => ({ name, signedInDay })),
  };
}

/**
 * Running servers close the sockets within two seconds. The password stays.
 *
 * @returns the address of the account
 * @throws {AppError} NO_SUCH_ACCOUNT
 */
export async function endAllSessions(
  unitOfWork: UnitOfWork,
  address: Address,
  by: string,
): Promise<string> {
  const { db } = unitOfWork;
  const found = await findAccount(db, address);
  if (!found) throw new AppError('NO_SUCH_ACCOUNT');
  await deleteSessions(db, found.id, 'all');
  await appendRevocation(db, 'sessions-ended', found.id);
  await appendAudit(unitOfWork, { staffName: by, act: 'end-sessions', reason: '' });
  return found.email;
}
