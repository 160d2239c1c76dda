import type { CallReply } from '#contract/http.ts';
import type { SiteFigure } from '#contract/transparency.ts';
import { toUnmaskingNotice, useSiteTransparency } from '#web/data/transparency.ts';
import { formatCount, formatDay } from '#web/format.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

type SiteTransparency = CallReply<'readSiteTransparency'>;

const labels: Record<SiteFigure, string> = {
  reports: 'Reports',
  removedMessages: 'Removed messages',
  mutes: 'Mutes',
  removals: 'Removals from a class',
  suspensions: 'Suspended accounts',
  unmaskings: 'Unmasked people',
};

/** How often moderators acted on this site, and whether operators can unmask people. */
export function SiteFigures() {
  const transparencyQuery = useSiteTransparency();
  return (
    <>
      <section>
        <h2>Moderation in numbers</h2>
        {transparencyQuery.data && <Figures transparency={transparencyQuery.data} />}
        {!transparencyQuery.data && transparencyQuery.isError && (
          <QueryFailure query={transparencyQuery} />
        )}
        {!transparencyQuery.data && transparencyQuery.isPending && (
          <div role="status" aria-label="Loading">
            <Skeleton width="60%" />
          </div>
        )}
      </section>
      {transparencyQuery.data && (
        <UnmaskingSetting switchedOnAt={transparencyQuery.data.unmasking.since} />
      )}
    </>
  );
}

function Figures({ transparency }: { transparency: SiteTransparency }) {
  return (
    <>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">Number of</th>
            <th scope="col">30 days</th>
            <th scope="col">Ever</th>
          </tr>
        </thead>
        <tbody>
          {transparency.figures.map(({ figure, recent, total }) => (
            <tr key={figure}>
              <th scope="row">{labels[figure]}</th>
              <td>{formatCount(recent)}</td>
              <td>{formatCount(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">
        On the whole site, up to the end of {formatDay(transparency.through)} (UTC). The numbers
        change once a day, so no one can tell when a moderator acted.
      </p>
    </>
  );
}

function UnmaskingSetting({ switchedOnAt }: { switchedOnAt: string | null }) {
  return (
    <section>
      <h2>Unmasking</h2>
      {switchedOnAt === null ? (
        <p>
          Unmasking is switched off: in this app, no one can ask whose account a message is from. If
          it is ever switched on, this page says so, and people who wrote in a class before can
          never be unmasked there.
        </p>
      ) : (
        <p>
          {toUnmaskingNotice(switchedOnAt)} Both need their passwords, and the audit log and the
          number above show it. Only people who wrote nothing in the class before that day can be
          unmasked.
        </p>
      )}
    </section>
  );
}
