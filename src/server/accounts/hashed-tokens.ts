// Hashes session tokens before better-auth stores them, so that a reader of the table gets no usable
// token.
import { hash } from 'node:crypto';
import type { getAdapter } from 'better-auth/db/adapter';

type Adapter = Awaited<ReturnType<typeof getAdapter>>;
interface Condition {
  field: string;
  value: unknown;
}

/** Returns the stored form of a token. Tokens are random, so they need no salt or slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/**
 * Wraps the adapter so that it hashes session tokens before they reach the database. A lookup by token
 * returns the plain token in its row, because better-auth writes the cookie from the row.
 */
export function withHashedTokens(adapter: Adapter): Adapter {
  return {
    ...adapter,
    async create(query) {
      const token = query.model === 'session' ? query.data['token'] : undefined;
      if (typeof token !== 'string') return adapter.create(query);
      const data = { ...query.data, token: hashToken(token) };
      return withToken(await adapter.create({ ...query, data }), token);
    },
    async findOne(query) {
      const { where, token } = hashTokensIn(query.model, query.where);
      return withToken(await adapter.findOne({ ...query, where }), token);
    },
    async findMany(query) {
      const { where } = hashTokensIn(query.model, query.where);
      return adapter.findMany({ ...query, ...(where && { where }) });
    },
    async update(query) {
      const { where, token } = hashTokensIn(query.model, query.where);
      return withToken(await adapter.update({ ...query, where }), token);
    },
    async delete(query) {
      const { where } = hashTokensIn(query.model, query.where);
      return adapter.delete({ ...query, where });
    },
    async deleteMany(query) {
      const { where } = hashTokensIn(query.model, query.where);
      return adapter.deleteMany({ ...query, where });
    },
    transaction: (work) => adapter.transaction((inner) => work(withHashedTokens(inner as Adapter))),
  };
}

/** Returns the conditions with hashed tokens, and the plain token that they search for. */
function hashTokensIn<Where extends Condition[] | undefined>(
  model: string,
  where: Where,
): { where: Where; token: string | undefined } {
  let token: string | undefined;
  const hashed = where?.map((condition) => {
    const { field, value } = condition;
    if (model !== 'session' || field !== 'token') return condition;
    if (Array.isArray(value)) return { ...condition, value: value.map(String).map(hashToken) };
    token = String(value);
    return { ...condition, value: hashToken(token) };
  });
  return { where: hashed as Where, token };
}

function withToken<Row>(row: Row, token: string | undefined): Row {
  return row && token !== undefined ? { ...row, token } : row;
}
