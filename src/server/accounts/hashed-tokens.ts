// Session tokens as better-auth keeps them for us: hashed, so that who reads the table holds no session.
import { hash } from 'node:crypto';
import type { getAdapter } from 'better-auth/db/adapter';

type Adapter = Awaited<ReturnType<typeof getAdapter>>;
interface Condition {
  field: string;
  value: unknown;
}

/** What the table holds in the place of a token. The token is random: no salt or slow hash adds to it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/**
 * The adapter as it was, but for the tokens of sessions: hashed on the way in. Whoever looked one up
 * gets it back as it was asked for, since better-auth writes the cookie from the row.
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
      const { where, token } = hashedIn(query.model, query.where);
      return withToken(await adapter.findOne({ ...query, where }), token);
    },
    async findMany(query) {
      const { where } = hashedIn(query.model, query.where);
      return adapter.findMany({ ...query, ...(where && { where }) });
    },
    async update(query) {
      const { where, token } = hashedIn(query.model, query.where);
      return withToken(await adapter.update({ ...query, where }), token);
    },
    async delete(query) {
      const { where } = hashedIn(query.model, query.where);
      return adapter.delete({ ...query, where });
    },
    async deleteMany(query) {
      const { where } = hashedIn(query.model, query.where);
      return adapter.deleteMany({ ...query, where });
    },
    transaction: (work) => adapter.transaction((inner) => work(withHashedTokens(inner as Adapter))),
  };
}

/** The conditions with the token hashed, and the token that one of them asked for. */
function hashedIn<Where extends Condition[] | undefined>(
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
