import { useMutation } from '@tanstack/react-query';
import { call, toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';

/** The screen behind the link of `mail-data-copy`. The link works once, so it requires a button press. */
export function DataCopyScreen() {
  const token = useLinkParams().get('token') ?? '';
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('takeDataCopy', { body: { token } }),
    onSuccess: saveData,
  });
  const failure = token ? error && toErrorMessage(error) : getText('error.INVALID_LINK');
  return (
    <AuthPage
      title={getText('profile.export.title')}
      lead={getText('profile.export.lead')}
      foot={<Link to="/signin">{getText('signIn.back')}</Link>}
    >
      <div className="stack">
        <Callout kind="error">{failure}</Callout>
        <Callout kind="info">{isSuccess ? getText('signIn.dataCopy.done') : null}</Callout>
        {token && !isSuccess && (
          <Button variant="primary" wide aria-disabled={isPending} onClick={() => mutate()}>
            {isPending ? getText('common.loading') : getText('profile.export.download')}
          </Button>
        )}
      </div>
    </AuthPage>
  );
}

function saveData(data: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'my-data.json';
  link.click();
  URL.revokeObjectURL(url);
}
