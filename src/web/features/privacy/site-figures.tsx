import type { CallReply } from '#contract/http.ts';
import type { SiteFigure } from '#contract/transparency.ts';
import { toUnmaskingNotice, useSiteTransparency } from '#web/data/transparency.ts';
import { formatDay } from '#web/format.ts';
import { formatNumber, getText, getTexts } from '#web/get-text.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

type SiteTransparency = CallReply<'readSiteTransparency'>;

const labels: Record<SiteFigure, string> = getTexts('privacy.figure');

/** How often moderators acted on this site, and whether operators can unmask people. */
export function SiteFigures() {
  const transparencyQuery = useSiteTransparency();
  return (
    <>
      <section>
        <h2>{getText('privacy.figures.title')}</h2>
        {transparencyQuery.data && <Figures transparency={transparencyQuery.data} />}
        {!transparencyQuery.data && transparencyQuery.isError && (
          <QueryFailure query={transparencyQuery} />
        )}
        {!transparencyQuery.data && transparencyQuery.isPending && (
          <div role="status" aria-label={getText('common.loadingStatus')}>
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
            <th scope="col">{getText('privacy.figures.numberOf')}</th>
            <th scope="col">{getText('privacy.figures.recent')}</th>
            <th scope="col">{getText('privacy.figures.total')}</th>
          </tr>
        </thead>
        <tbody>
          {transparency.figures.map(({ figure, recent, total }) => (
            <tr key={figure}>
              <th scope="row">{labels[figure]}</th>
              <td>{formatNumber(recent)}</td>
              <td>{formatNumber(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">
        {getText('legal.privacy.figures.hint', { day: formatDay(transparency.through) })}
      </p>
    </>
  );
}

function UnmaskingSetting({ switchedOnAt }: { switchedOnAt: string | null }) {
  return (
    <section>
      <h2>{getText('privacy.unmasking.title')}</h2>
      {switchedOnAt === null ? (
        <p>{getText('legal.unmasking.off')}</p>
      ) : (
        <p>
          {toUnmaskingNotice(switchedOnAt)} {getText('legal.unmasking.rules')}
        </p>
      )}
    </section>
  );
}
