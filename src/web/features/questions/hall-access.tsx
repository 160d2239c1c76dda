import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallReply } from '#contract/http.ts';
import { toPresenterUrl } from '#web/data/lectures.ts';
import { useNoticedCommand } from '#web/data/use-call.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useCopyText } from '#web/ui/copy-text.ts';
import { useNotify } from '#web/ui/notices.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useSecondsUntil } from '#web/ui/use-seconds-until.ts';
import styles from './hall-access.module.css';

interface Props {
  classId: string;
  lectureId: string;
  room: Pick<Room, 'serverNow'>;
}

/** How staff get the screen of the hall: by six digits on its computer, in this browser, or by a link. */
export function HallAccess({ classId, lectureId, room }: Props) {
  const params = { classId };
  const notify = useNotify();
  const copyText = useCopyText();
  const { code, token, keep } = useMadeAccess(classId, lectureId);
  const coding = useNoticedCommand('createHallCode', {
    onSuccess: (reply) => keep({ code: reply }),
  });
  const linking = useNoticedCommand('createPresenterLink', {
    onSuccess: ({ presenterToken }) => keep({ token: presenterToken }),
  });
  const revoking = useNoticedCommand('revokePresenterLinks', {
    onSuccess() {
      keep({ code: null, token: null });
      notify({ text: getText('questions.hall.revoked') });
    },
  });
  const getUrl = async () =>
    toPresenterUrl(token ?? (await linking.mutateAsync({ params })).presenterToken);
  const open = async () => {
    // Opened before the answer, because browsers block a window that no press opens.
    const hallWindow = window.open('', '_blank');
    try {
      const url = await getUrl();
      if (hallWindow) hallWindow.location.href = url;
    } catch {
      hallWindow?.close();
    }
  };
  return (
    <section className="stack-s" aria-label={getText('questions.hall.label')}>
      <HallCode code={code} serverNow={room.serverNow} />
      <div className="wrap">
        <Button variant="primary" aria-disabled={linking.isPending} onClick={() => void open()}>
          {getText('questions.hall.open')}
        </Button>
        <Button aria-disabled={coding.isPending} onClick={() => coding.mutate({ params })}>
          {code ? getText('questions.hall.newCode') : getText('questions.hall.code')}
        </Button>
      </div>
      <div className={`wrap ${styles.links}`}>
        <TextButton
          aria-disabled={linking.isPending}
          onClick={() =>
            void getUrl().then(
              (url) => copyText(url),
              () => undefined,
            )
          }
        >
          {getText('questions.hall.copyLink')}
        </TextButton>
        <TextButton onClick={() => revoking.mutate({ params })}>
          {getText('questions.hall.revoke')}
        </TextButton>
      </div>
    </section>
  );
}

interface MadeAccess {
  code: CallReply<'createHallCode'> | null;
  token: string | null;
}

/** What this browser made for the lecture. In memory, so that it is the same when the panel opens again. */
function useMadeAccess(classId: string, lectureId: string) {
  const client = useQueryClient();
  const queryKey = ['class', classId, 'hall-access', lectureId];
  const { data } = useQuery<MadeAccess>({ queryKey, queryFn: skipToken, gcTime: Infinity });
  const made = data ?? { code: null, token: null };
  const keep = (changes: Partial<MadeAccess>) =>
    client.setQueryData<MadeAccess>(queryKey, (previous) => ({
      ...(previous ?? made),
      ...changes,
    }));
  return { ...made, keep };
}

interface CodeProps {
  code: MadeAccess['code'];
  serverNow: () => number;
}

function HallCode({ code, serverNow }: CodeProps) {
  const secondsLeft = useSecondsUntil(code?.hallCodeEndsAt ?? null, serverNow);
  const minutesLeft = Math.ceil(secondsLeft / 60);
  return (
    <div role="status">
      {code && minutesLeft > 0 && (
        <>
          <p>
            {getRichText('questions.hall.openAndType', {
              url: `${location.host}/present`,
              b: <b dir="ltr" />,
              code: `${code.hallCode.slice(0, 3)} ${code.hallCode.slice(3)}`,
              digits: <span className={styles.digits} />,
            })}
          </p>
          <p className="muted">{getText('questions.hall.codeLasts', { count: minutesLeft })}</p>
        </>
      )}
      {code && minutesLeft <= 0 && <p className="muted">{getText('questions.hall.codeExpired')}</p>}
    </div>
  );
}
