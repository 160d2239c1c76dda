// For operators: asks to find the account behind a persona, or confirms what another operator asked.
import { useState } from 'react';
import type { Case } from '#contract/moderation.ts';
import type { CaseUnmasking, UnmaskingRequest } from '#contract/unmasking.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from '../moderation.ts';
import { refetchInterval } from './open-unmaskings.tsx';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText, language } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Status } from '#web/ui/status.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { AddressDialog } from './address-dialog.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { RequestDialog } from './request-dialog.tsx';
import styles from './unmasking.module.css';

export function UnmaskingPanel({ caseDetails }: { caseDetails: Case }) {
  const { caseId } = caseDetails;
  const unmaskingQuery = useCall('readUnmasking', { params: { caseId } }, { refetchInterval });
  return (
    <section className={styles.panel} aria-label={getText('moderation.unmasking.title')}>
      <h3>{getText('moderation.unmasking.title')}</h3>
      {language !== 'en' && <p>{getText('moderation.unmasking.summary')}</p>}
      {unmaskingQuery.data && (
        <Requests caseDetails={caseDetails} caseUnmasking={unmaskingQuery.data} />
      )}
      {unmaskingQuery.isError && !unmaskingQuery.data && (
        <QueryFailure className={styles.failed} query={unmaskingQuery} />
      )}
      {unmaskingQuery.isPending && (
        <div role="status" aria-label={getText('common.loadingStatus')}>
          <Skeleton width="60%" />
        </div>
      )}
    </section>
  );
}

type OpenDialog = 'request' | UnmaskingRequest | null;

function Requests({
  caseDetails,
  caseUnmasking,
}: {
  caseDetails: Case;
  caseUnmasking: CaseUnmasking;
}) {
  const { unmasking, refusal, requests } = caseUnmasking;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [address, setAddress] = useState<string | null>(null);
  const [isShown, setIsShown] = useState(false);
  const isOnline = useIsOnline();
  const openRequest = requests.find(({ state }) => state === 'open');
  const closedRequests = requests.filter((request) => request !== openRequest);
  return (
    <>
      {refusal ? (
        <p className="meta">{toRejectionText(refusal, unmasking.since)}</p>
      ) : (
        !openRequest && (
          <>
            <p className="meta">{getText('legal.unmasking.lead')}</p>
            <div>
              <Button aria-disabled={!isOnline} onClick={() => setDialog('request')}>
                {getText('moderation.unmasking.request.button')}
              </Button>
            </div>
          </>
        )
      )}
      {openRequest && (
        <OpenRequest
          request={openRequest}
          canConfirm={isOnline && (refusal === null || refusal === 'ended')}
          onConfirm={() => setDialog(openRequest)}
        />
      )}
      {!isOnline && <p className="meta">{getText('moderation.unmasking.offline')}</p>}
      <Status>
        {address !== null && !isShown && (
          <div className={styles.kept}>
            <p>{getText('moderation.address.kept')}</p>
            <div className="wrap">
              <Button onClick={() => setIsShown(true)}>{getText('moderation.address.show')}</Button>
              <Button onClick={() => setAddress(null)}>{getText('moderation.address.drop')}</Button>
            </div>
          </div>
        )}
      </Status>
      {closedRequests.length > 0 && (
        <ul className={styles.closed} aria-label={getText('moderation.unmasking.earlier')}>
          {closedRequests.map((request) => (
            <li key={request.requestId}>
              <p>
                {getRichText('moderation.unmasking.outcome', {
                  state: request.state,
                  bdi: <bdi />,
                  requester: request.requestedBy,
                  closer: request.closedBy ?? '',
                })}
                <span className="meta"> · {formatMoment(request.requestedAt)}</span>
              </p>
              <p className={styles.reason} dir="auto">
                {request.reason}
              </p>
            </li>
          ))}
        </ul>
      )}
      {dialog === 'request' && (
        <RequestDialog caseDetails={caseDetails} onClose={() => setDialog(null)} />
      )}
      {dialog !== null && dialog !== 'request' && (
        <ConfirmDialog
          caseDetails={caseDetails}
          request={dialog}
          onClose={() => setDialog(null)}
          onAddress={(foundAddress) => {
            setDialog(null);
            setAddress(foundAddress);
            setIsShown(true);
          }}
        />
      )}
      {address !== null && isShown && (
        <AddressDialog
          address={address}
          onHide={() => setIsShown(false)}
          onDone={() => setAddress(null)}
        />
      )}
    </>
  );
}

interface OpenRequestProps {
  request: UnmaskingRequest;
  canConfirm: boolean;
  onConfirm: () => void;
}

function OpenRequest({ request, canConfirm, onConfirm }: OpenRequestProps) {
  const { requestId, own, requestedBy, reason, expiresAt } = request;
  const withdrawing = useCommand('withdrawUnmasking', { refreshes: moderationCalls });
  return (
    <div className={styles.open}>
      <p>
        <Tag>{getText('moderation.unmasking.open')}</Tag>{' '}
        {getRichText('moderation.unmasking.asked', {
          who: own ? 'you' : 'other',
          bdi: <bdi />,
          name: requestedBy,
          moment: formatMoment(expiresAt),
        })}
      </p>
      <p className={styles.reason} dir="auto">
        {reason}
      </p>
      <div className="wrap">
        <Button
          aria-disabled={withdrawing.isPending}
          onClick={() => withdrawing.mutate({ params: { requestId } })}
        >
          {withdrawing.isPending
            ? getText('moderation.withdrawing')
            : getText('moderation.withdraw')}
        </Button>
        {!own && (
          <Button variant="danger" aria-disabled={!canConfirm} onClick={onConfirm}>
            {getText('moderation.unmasking.confirm.button')}
          </Button>
        )}
      </div>
      <Callout kind="error">
        {withdrawing.isError ? toErrorMessage(withdrawing.error) : null}
      </Callout>
    </div>
  );
}

function toRejectionText(
  refusal: NonNullable<CaseUnmasking['refusal']>,
  switchedOnAt: string | null,
) {
  switch (refusal) {
    case 'off':
      return getText('legal.unmasking.panelOff');
    case 'too-old':
      return getText('legal.unmasking.tooOld', { day: formatPastDay(switchedOnAt ?? '') });
    case 'ended':
      return getText('legal.unmasking.ended');
  }
}
