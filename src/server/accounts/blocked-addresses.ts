// Addresses that operators have blocked: no one can sign up or sign in with them, and they get no mail. Only a keyed hash of the
// mailbox is stored, so that the address of an erased account is nowhere.
import { createHmac } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isPlainLine } from '#contract/text.ts';
import { formatDay, getToday, toDate } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Database } from '#server/store/tables.ts';
import type { AccountRecords } from './account-records.ts';
import {
  deleteBlocks,
  insertBlock,
  isMailboxBlocked,
  listBlocks,
  type BlockedAddressRow,
} from './blocked-addresses-queries.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { SessionRecords } from './session-records.ts';

interface BlockContent {
  /** Days since 1970. */
  day: number;
  reason: string;
}

export interface Block {
  blockId: string;
  /** YYYY-MM-DD */
  day: string;
  reason: string;
}

/** All rows have the same size, which fits the longest reason. */
const paddedBytes = 4096;

export class BlockedAddresses {
  readonly #keys: ServerKeys['blockedAddresses'];
  readonly #mailboxes: Mailboxes;
  readonly #accountRecords: AccountRecords;
  readonly #sessionRecords: SessionRecords;

  constructor(
    keys: ServerKeys['blockedAddresses'],
    mailboxes: Mailboxes,
    accountRecords: AccountRecords,
    sessionRecords: SessionRecords,
  ) {
    this.#keys = keys;
    this.#mailboxes = mailboxes;
    this.#accountRecords = accountRecords;
    this.#sessionRecords = sessionRecords;
  }

  /** Tells whether the mailbox of the address is blocked, with and without a tag. */
  isBlocked(db: Database, email: string): Promise<boolean> {
    return isMailboxBlocked(db, this.#listHashes(email));
  }

  /** Call it in the commit that creates an account or a session. @throws {AppError} ADDRESS_BLOCKED */
  async check(db: Database, email: string): Promise<void> {
    if (await this.isBlocked(db, email)) throw new AppError('ADDRESS_BLOCKED');
  }

  /**
   * Blocks the address and signs its accounts out. Their mailed links do not work while it is blocked. A second block replaces the
   * first one.
   *
   * @param checkAccount rejects the block because of an account of the mailbox
   * @throws {AppError} INVALID, and the errors of `checkAccount`
   */
  async block(
    unitOfWork: UnitOfWork,
    { email, reason }: { email: string; reason: string },
    checkAccount: (account: { id: string; email: string }) => Promise<void>,
  ): Promise<void> {
    const { db } = unitOfWork;
    const content: BlockContent = { day: getToday(), reason: parseBlockReason(reason) };
    const { toMailbox } = this.#mailboxes;
    const mailbox = toMailbox(email.trim());
    for await (const accounts of this.#accountRecords.listAll(db)) {
      for (const account of accounts) {
        if (toMailbox(account.email) !== mailbox) continue;
        await checkAccount(account);
        await this.#sessionRecords.end(unitOfWork, account.id, 'all');
      }
    }
    await deleteBlocks(db, 'mailbox', this.#listHashes(email));
    const blockId = createRandomId();
    await insertBlock(db, {
      blockId,
      mailbox: this.#hash(mailbox),
      content: this.#seal(blockId, content),
    });
    await appendChangeEvent(unitOfWork, 'sessions-ended');
  }

  /** @throws {AppError} NOT_FOUND */
  async unblock(
    unitOfWork: UnitOfWork,
    block: { blockId: string } | { email: string },
  ): Promise<void> {
    const { db } = unitOfWork;
    const isDeleted =
      'email' in block
        ? await deleteBlocks(db, 'mailbox', this.#listHashes(block.email))
        : await deleteBlocks(db, 'blockId', [block.blockId]);
    if (!isDeleted) throw new AppError('NOT_FOUND');
    unitOfWork.contentErased();
  }

  /** Lists the blocks, newest first. Within a day the order is random. */
  async list(db: Database): Promise<Block[]> {
    const blocks = (await listBlocks(db)).map((row) => ({ ...this.#open(row), ...row }));
    return blocks
      .toSorted((a, b) => b.day - a.day)
      .map(({ blockId, day, reason }) => ({ blockId, reason, day: formatDay(toDate(day)) }));
  }

  /** Lists the hashes under which the mailbox may be blocked: one for each name of its mail domain. */
  #listHashes(email: string): string[] {
    return this.#mailboxes.listMailboxNames(email.trim()).map((mailbox) => this.#hash(mailbox));
  }

  #hash(mailbox: string): string {
    return createHmac('sha256', this.#keys.ids).update(mailbox).digest('base64url');
  }

  #seal(blockId: string, content: BlockContent): string {
    const options = { padTo: paddedBytes, context: blockId };
    return seal(this.#keys.contents, JSON.stringify(content), options);
  }

  #open({ blockId, content }: BlockedAddressRow): BlockContent {
    return JSON.parse(unseal(this.#keys.contents, content, blockId)) as BlockContent;
  }
}

/** @throws {AppError} INVALID */
export function parseBlockReason(typedReason: string): string {
  const reason = typedReason.trim();
  const length = Array.from(reason).length;
  if (length > 0 && length <= limits.decisionReason && isPlainLine(reason)) return reason;
  throw new AppError('BLOCK_REASON');
}
