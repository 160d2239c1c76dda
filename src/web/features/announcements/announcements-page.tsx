// Announcements: operators write a banner on /admin/announcements, and members see it above their screen. This
// page lists those in force and earlier ones. `announcement-banner.tsx` is the banner, which arrives over the
// socket. A text cannot be edited, because members who dismissed it would not see the change.
import { useState } from 'react';
import type { ListedAnnouncement } from '#contract/announcements.ts';
import { useCall, useNoticedCommand } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
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
      <TabPage label="Announcements" className={styles.column}>
        <div className={styles.bar}>
          <p className={styles.note}>
            A banner for everyone who is signed in, or for the members of one class. It does not say
            who wrote it.
          </p>
          <Button variant="primary" onClick={() => setIsWriting(true)}>
            Announce…
          </Button>
        </div>
        <QueryState query={announcementsQuery} />
        {data && (
          <>
            <section>
              <h2 id="in-force">Shown now</h2>
              {currentAnnouncements.length === 0 ? (
                <p className={styles.note}>No announcement is shown.</p>
              ) : (
                <Announcements label="in-force" announcements={currentAnnouncements} />
              )}
            </section>
            {pastAnnouncements.length > 0 && (
              <section>
                <h2 id="past">Of the last 30 days</h2>
                <Announcements label="past" announcements={pastAnnouncements} />
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
  /** The id of the heading, which names the list. */
  label: string;
  announcements: readonly ListedAnnouncement[];
}

function Announcements({ label, announcements }: ListProps) {
  return (
    <ul className="divided" aria-labelledby={label}>
      {announcements.map((announcement) => (
        <Announcement key={announcement.announcementId} announcement={announcement} />
      ))}
    </ul>
  );
}

function Announcement({ announcement }: { announcement: ListedAnnouncement }) {
  const { announcementId, label, text, announcedAt, endsAt, phase } = announcement;
  const { confirm } = useDialogs();
  const notify = useNotify();
  const withdrawal = useNoticedCommand('withdrawAnnouncement', {
    refreshes: ['listAnnouncements'],
    onSuccess: () => notify({ text: 'The announcement is withdrawn.' }),
  });
  const withdraw = async () => {
    const question = `Withdraw this announcement? It disappears for ${label === null ? 'everyone' : `the members of ${label}`}.`;
    if (!(await confirm(question, { label: 'Withdraw', danger: true }))) return;
    withdrawal.mutate({ params: { announcementId } });
  };
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        <p className={styles.text} dir="auto">
          {text}
        </p>
        <p className="meta">
          {label === null ? 'For everyone' : `For ${label}`}. Announced {formatMoment(announcedAt)}.{' '}
          {endLabels[phase]} {formatMoment(endsAt)}.
        </p>
      </div>
      {phase === 'shown' && (
        <Button aria-disabled={withdrawal.isPending} onClick={() => void withdraw()}>
          Withdraw
        </Button>
      )}
    </li>
  );
}

const endLabels: Record<ListedAnnouncement['phase'], string> = {
  shown: 'Ends',
  ended: 'Ended',
  withdrawn: 'Withdrawn',
};
