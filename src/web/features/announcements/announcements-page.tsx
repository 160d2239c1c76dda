// Announcements: operators write a banner on /admin/announcements, and members see it above their screen. This
// page lists those in force and earlier ones. `announcement-banner.tsx` is the banner, which arrives over the
// socket. A text cannot be edited, because members who dismissed it would not see the change.
import { useState } from 'react';
import type { ListedAnnouncement } from '#contract/announcements.ts';
import { useCall, useNoticedCommand } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { AnnounceDialog } from './announce-dialog.tsx';
import styles from './announcements-page.module.css';

/** The list changes without this operator: announcements end, and other operators add or withdraw some. */
const refetchInterval = 60_000;

export function AnnouncementsPage() {
  const announcementsQuery = useCall('listAnnouncements', {}, { refetchInterval });
  const { data } = announcementsQuery;
  const [isWriting, setIsWriting] = useState(false);
  const currentAnnouncements = data?.announcements.filter(({ phase }) => phase === 'shown') ?? [];
  const pastAnnouncements = data?.announcements.filter(({ phase }) => phase !== 'shown') ?? [];
  return (
    <>
      <TabPage label={getText('announcements.list.title')} className={styles.column}>
        <div className={styles.bar}>
          <p className={styles.note}>{getText('announcements.list.lead')}</p>
          <Button variant="primary" onClick={() => setIsWriting(true)}>
            {getText('announcements.list.open')}
          </Button>
        </div>
        <QueryState query={announcementsQuery} />
        {data && (
          <>
            <section>
              <h2 id="in-force">{getText('announcements.list.current')}</h2>
              {currentAnnouncements.length === 0 ? (
                <p className={styles.note}>{getText('announcements.list.empty')}</p>
              ) : (
                <Announcements titleId="in-force" announcements={currentAnnouncements} />
              )}
            </section>
            {pastAnnouncements.length > 0 && (
              <section>
                <h2 id="past">{getText('announcements.list.past')}</h2>
                <Announcements titleId="past" announcements={pastAnnouncements} />
              </section>
            )}
          </>
        )}
      </TabPage>
      {isWriting && <AnnounceDialog onClose={() => setIsWriting(false)} />}
    </>
  );
}

interface ListProps {
  /** The heading names the list. */
  titleId: string;
  announcements: readonly ListedAnnouncement[];
}

function Announcements({ titleId, announcements }: ListProps) {
  return (
    <ul className="divided" aria-labelledby={titleId}>
      {announcements.map((announcement) => (
        <Announcement key={announcement.announcementId} announcement={announcement} />
      ))}
    </ul>
  );
}

function Announcement({ announcement }: { announcement: ListedAnnouncement }) {
  const { announcementId, label, text, announcedAt, endsAt, phase } = announcement;
  const times = { phase, start: formatMoment(announcedAt), end: formatMoment(endsAt) };
  const { confirm } = useDialogs();
  const notify = useNotify();
  const withdrawal = useNoticedCommand('withdrawAnnouncement', {
    refreshes: ['listAnnouncements'],
    onSuccess: () => notify({ text: getText('announcements.withdraw.done') }),
  });
  const withdraw = async () => {
    const question =
      label === null
        ? getText('announcements.withdraw.confirmEveryone')
        : getText('announcements.withdraw.confirmClass', { className: label });
    const action = { label: getText('announcements.withdraw.submit'), danger: true };
    if (!(await confirm(question, action))) return;
    withdrawal.mutate({ params: { announcementId } });
  };
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        <p className={styles.text} dir="auto">
          {text}
        </p>
        <p className="meta">
          {label === null
            ? getText('announcements.list.everyone')
            : getText('announcements.list.class', { className: label })}{' '}
          {getText('announcements.list.times', times)}
        </p>
      </div>
      {phase === 'shown' && (
        <Button aria-disabled={withdrawal.isPending} onClick={() => void withdraw()}>
          {getText('announcements.withdraw.submit')}
        </Button>
      )}
    </li>
  );
}
