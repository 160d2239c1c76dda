// A second factor for operators and moderators, where no sign-on is used: passkeys (WebAuthn), and recovery codes. It is no part of
// the sign-in. Calls that unmask, change roles, end classes or act on accounts need a proof of the last ten minutes: the contract
// says which, and http/route.ts checks it.
import { formatDay, toDate } from '#server/base/days.ts';
import type { Feature, Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import type { SecondFactor } from './second-factor.ts';
import { getFactor } from './stored-factors.ts';

type FactorServer = Pick<Server, 'db' | 'site' | 'keys' | 'checkIdentity'>;

export function createSecondFactor(server: FactorServer, secondFactor: SecondFactor): Feature {
  return { routes: (route) => registerRoutes(route, server, secondFactor) };
}

function registerRoutes(route: Route, server: FactorServer, secondFactor: SecondFactor): void {
  const { checkIdentity, keys } = server;

  route('listPasskeys', async ({ account }) => {
    secondFactor.checkEnabled();
    const { passkeys, codeHashes } = await getFactor(server, account.id);
    return {
      passkeys: passkeys.map(({ passkeyId, name, addedDay }) => {
        return { passkeyId, passkeyName: name, addedDay: formatDay(toDate(addedDay)) };
      }),
      codesLeft: codeHashes.length,
    };
  });

  route('startPasskey', async ({ account, body, request, setCookies }) => {
    await secondFactor.checkMayAdd(account);
    await checkIdentity(account, body.password, request.headers);
    const { cookies, ...challenge } = await secondFactor.start(account, 'passkey-addition');
    setCookies(cookies);
    return { ...challenge, key: keys.deriveAccountKey(account.id) };
  });

  route('addPasskey', async ({ commits, account, body, request, setCookies }) => {
    await secondFactor.checkMayAdd(account);
    const { cookies, recoveryCodes } = await secondFactor.add(
      commits,
      account,
      request.headers,
      body,
    );
    setCookies(cookies);
    return { recoveryCodes };
  });

  route('removePasskey', async ({ commits, account, params, body, request }) => {
    secondFactor.checkEnabled();
    await checkIdentity(account, body.password, request.headers);
    await secondFactor.remove(commits, account, params.passkeyId);
    return {};
  });

  route('renewRecoveryCodes', async ({ commits, account, body, request }) => {
    secondFactor.checkEnabled();
    await checkIdentity(account, body.password, request.headers);
    return { recoveryCodes: await secondFactor.renewCodes(commits, account) };
  });

  route('startProof', async ({ account, setCookies }) => {
    secondFactor.checkEnabled();
    const { cookies, ...challenge } = await secondFactor.start(account, 'passkey-proof');
    setCookies(cookies);
    return challenge;
  });

  route('proveFactor', async ({ commits, account, body, request, setCookies }) => {
    secondFactor.checkEnabled();
    const { cookies } =
      'recoveryCode' in body
        ? await secondFactor.proveByCode(commits, account, body.recoveryCode)
        : await secondFactor.proveByPasskey(commits, account, request.headers, body);
    setCookies(cookies);
    return {};
  });
}
