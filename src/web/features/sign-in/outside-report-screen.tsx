// The page on which anyone reports what someone wrote, without an account (/report). It asks for no session, also not of members.
import { isInternetAddress, parseTypedEmail } from '#contract/email-address.ts';
import { limits } from '#contract/limits.ts';
import { useCommand } from '#web/data/use-call.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { AuthPage } from './auth-page.tsx';

export function OutsideReportScreen({ signedIn }: { signedIn: boolean }) {
  const sending = useCommand('reportFromOutside');
  return (
    <AuthPage
      title={sending.isSuccess ? getText('report.sent.title') : getText('outside.title')}
      lead={!sending.isSuccess && getText('legal.outside.lead', { appName: site.appName })}
      foot={
        <>
          <Link to={signedIn ? '/home' : '/signin'}>
            {signedIn ? getText('privacy.back') : getText('signIn.back')}
          </Link>
          <Link to="/privacy">{getText('privacy.title')}</Link>
        </>
      }
    >
      <Callout kind="info">{sending.isSuccess ? getText('outside.sent') : null}</Callout>
      {!sending.isSuccess && <ReportForm sending={sending} />}
    </AuthPage>
  );
}

function ReportForm({ sending }: { sending: ReturnType<typeof useCommand<'reportFromOutside'>> }) {
  const form = useForm({
    fields: { what: '', place: '', address: '' },
    command: sending,
    findProblems: ({ what, place, address }) => ({
      what: what.trim() ? findLengthProblem(what) : getText('outside.what.missing'),
      place: place.trim() ? null : getText('outside.place.missing'),
      address: isInternetAddress(parseTypedEmail(address)) ? null : getText('accounts.incomplete'),
    }),
    onSubmit: ({ what, place, address }) =>
      sending.mutate({
        body: {
          what: what.trim(),
          place: place.trim(),
          contactAddress: parseTypedEmail(address),
        },
      }),
  });
  const { what } = form.fields;
  const { length } = what.trim();
  return (
    <Form form={form} className="stack" aria-label={getText('outside.title')}>
      <LegalSummary text={getText('outside.summary')} />
      <TextAreaField
        label={getText('outside.what.label')}
        hint={
          length > limits.outsideReport - 200
            ? `${formatNumber(length)} / ${formatNumber(limits.outsideReport)}`
            : getText('outside.what.hint')
        }
        rows={6}
        dir="auto"
        {...form.bind('what')}
        problem={form.problems.what ?? findLengthProblem(what)}
      />
      <TextField
        label={getText('outside.place.label')}
        hint={getText('outside.place.hint')}
        dir="auto"
        autoComplete="off"
        maxLength={limits.outsidePlace}
        {...form.bind('place')}
      />
      <TextField
        label={getText('outside.address.label')}
        hint={getText('outside.address.hint')}
        type="email"
        dir="auto"
        autoComplete="email"
        spellCheck={false}
        maxLength={limits.email}
        {...form.bind('address')}
      />
      <Callout kind="error">{form.error}</Callout>
      <Button variant="primary" wide type="submit" aria-disabled={form.isPending}>
        {form.isPending ? getText('common.sending') : getText('outside.submit')}
      </Button>
    </Form>
  );
}

function findLengthProblem(text: string): string | null {
  if (text.trim().length <= limits.outsideReport) return null;
  return getText('common.textTooLong', { max: limits.outsideReport });
}
