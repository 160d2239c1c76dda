// The check of `npm run doctor` of the university's OpenID Connect provider.
import { discover } from '#server/features/sign-on/sign-on-provider.ts';
import type { Config } from '#server/config/config-types.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { type Finding, createSuccess, createProblem, createWarning } from './finding.ts';

export async function checkSignOn({ oidc, passwordSignIn, mail }: Config): Promise<Finding[]> {
  if (!oidc) return [];
  const findings: Finding[] = [];
  try {
    const provider = (await discover(oidc)).serverMetadata();
    findings.push(
      provider.supportsPKCE()
        ? createSuccess(`${provider.issuer} answers.`)
        : createWarning(
            `${provider.issuer} does not say that it checks PKCE with S256: turn it on.`,
          ),
    );
  } catch (error) {
    const isOtherIssuer = getErrorCode(error) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
    findings.push(
      createProblem(
        isOtherIssuer
          ? 'The provider names another issuer: set OIDC_ISSUER to the "issuer" of its discovery document, letter by letter.'
          : `${oidc.issuer.origin} has no discovery document for OIDC_ISSUER, or does not answer: open its /.well-known/openid-configuration from this machine.`,
      ),
    );
  }
  if (passwordSignIn === 'off' && mail.kind === 'folder') {
    findings.push(
      createWarning('SMTP_URL is not set: accounts with a password cannot be joined by mail.'),
    );
  }
  return findings;
}
