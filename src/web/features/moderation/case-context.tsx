import { type ReactNode, useState } from 'react';
import type { Message, Persona } from '#contract/entities.ts';
import { replaceMentionsWithNames } from '#web/mention-names.ts';
import type { Case, Evidence } from '#contract/moderation.ts';
import { createUnknownPersona } from '#contract/persona-name.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCaseContext } from './moderation.ts';
import { formatShortMoment } from '#web/data/moderation-labels.ts';
import { describeImages, formatMoment, moderationTexts } from '#web/format.ts';
import { limitCombiningMarks } from '#contract/limit-combining-marks.ts';
import { getText } from '#web/get-text.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { hasMarkup } from '#web/markup/message-markup.ts';
import { Button } from '#web/ui/button.tsx';
import { MentionProvider } from '#web/ui/mention.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { toNames } from './case-text.ts';
import { choosePictureGround } from '#web/ui/picture-ground.ts';
import { useStore } from '#web/use-store.ts';
import styles from './case-detail.module.css';

/** Marks the reported message among its neighbors. */
export const reportedAttribute = 'data-reported';

/**
 * The reported message as it was, between its neighbors as the class sees them now, or the last messages of a reported
 * person.
 */
export function CaseContext({ caseDetails }: { caseDetails: Case }): ReactNode {
  const context = useCaseContext(caseDetails);
  const { messages = [], personas = [] } = context.data ?? {};
  const names = toNames(personas);
  const isOfPerson = caseDetails.messageId === null;
  const label = isOfPerson
    ? getText('moderation.context.ofPerson')
    : getText('moderation.context.ofMessage');
  const createdAt = caseDetails.evidence?.createdAt ?? 0;
  const neighbors = messages.filter(({ id }) => id !== caseDetails.messageId);
  const toRow = (message: Message) => (
    <li key={message.id} className={styles.neighbor}>
      <Head
        persona={names.get(message.memberId) ?? createUnknownPersona(message.memberId)}
        timestamp={message.createdAt}
      />
      <NeighborContent message={message} names={names} />
    </li>
  );
  return (
    <section className="stack-s" aria-label={label}>
      {isOfPerson && (
        <>
          <Person persona={caseDetails.persona} />
          {context.data && (
            <p className={styles.meta}>
              {getText('moderation.context.last', { count: messages.length })}
            </p>
          )}
        </>
      )}
      {context.isPending && (
        <div className="stack-s" role="status" aria-label={getText('common.loadingStatus')}>
          <Skeleton width={140} />
          <Skeleton width="70%" />
        </div>
      )}
      {context.isError && !context.data && (
        <div className={styles.failed} role="alert">
          <p>{getText('moderation.context.failed', { problem: toErrorMessage(context.error) })}</p>
          <Button variant="plain" onClick={() => void context.refetch()}>
            {getText('common.retry')}
          </Button>
        </div>
      )}
      <ol className={styles.messages}>
        {neighbors.filter((message) => message.createdAt < createdAt).map(toRow)}
        {!isOfPerson && (
          <li className={styles.reported} {...{ [reportedAttribute]: true }}>
            <Head persona={caseDetails.persona} timestamp={caseDetails.evidence?.createdAt ?? null}>
              {caseDetails.shown && caseDetails.shown !== 'visible' && (
                <Tag>{getText('moderation.context.shown', { shown: caseDetails.shown })}</Tag>
              )}
            </Head>
            {caseDetails.evidence ? (
              <EvidenceContent evidence={caseDetails.evidence} />
            ) : (
              <p className={styles.meta}>{getText('moderation.textGone')}</p>
            )}
          </li>
        )}
        {neighbors.filter((message) => message.createdAt >= createdAt).map(toRow)}
      </ol>
    </section>
  );
}

const maxNeighborLength = 300;

interface NeighborProps {
  message: Message;
  names: ReadonlyMap<string, Persona>;
}

/** A message around the reported one, as the class sees it. */
function NeighborContent({ message: { moderation, text, images }, names }: NeighborProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (moderation === 'removed') {
    return <p className={styles.text}>{moderationTexts.removed}</p>;
  }
  const isShort = text.length <= maxNeighborLength && text.split('\n').length <= 4;
  return (
    <div className={styles.text}>
      {text && (
        <div className={isShort || isWhole ? undefined : styles.excerpt} dir="auto">
          <ClassText text={text} names={names} />
        </div>
      )}
      {!isShort && !isWhole && (
        <Button variant="plain" onClick={() => setIsWhole(true)}>
          {getText('moderation.context.showAll')}
        </Button>
      )}
      {images.length > 0 && <p className={styles.meta}>{describeImages(images)}</p>}
    </div>
  );
}

interface HeadProps {
  persona: Persona;
  timestamp: number | null;
  children?: ReactNode;
}

function Head({ persona, timestamp, children }: HeadProps) {
  return (
    <div className={styles.messageHead}>
      <Person persona={persona} />
      {timestamp !== null && (
        <time className={styles.meta} dateTime={new Date(timestamp).toISOString()}>
          {formatShortMoment(timestamp)}
        </time>
      )}
      {children}
    </div>
  );
}

/** The versions of the message and its pictures. */
function EvidenceContent({ evidence }: { evidence: Evidence }) {
  const names = toNames(evidence.personas);
  const { text, options = [], images, edits } = evidence;
  return (
    <>
      <EvidenceText text={text} names={names} />
      {options.length > 0 && (
        <ul className={styles.evidence} aria-label={getText('moderation.context.pollOptions')}>
          {options.map((option) => (
            <li key={option} dir="auto">
              {limitCombiningMarks(option)}
            </li>
          ))}
        </ul>
      )}
      {images.length > 0 && (
        <ul className={styles.pictures}>
          {images.map((image) => (
            <li key={image.imageUrl}>
              <a href={image.pdfUrl ?? image.imageUrl} target="_blank" rel="noreferrer">
                <img
                  data-ground={choosePictureGround(image.placeholder)}
                  src={image.thumbUrl}
                  width={image.width}
                  height={image.height}
                  alt={describeImages([image])}
                  loading="lazy"
                />
              </a>
              {image.alt && (
                <p className={styles.meta} aria-hidden="true">
                  {describeImages([image])}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {edits.map((edit) => (
        <div key={edit.editedAt} className={styles.edit}>
          <p className={styles.meta}>
            {getText('moderation.context.edited', { moment: formatMoment(edit.editedAt) })}
          </p>
          <EvidenceText text={edit.text} names={names} />
        </div>
      ))}
    </>
  );
}

interface TextProps {
  text: string;
  names: ReadonlyMap<string, Persona>;
}

/** A text as the room shows it. No mention is of the viewer, because the viewer's own persona must not be marked. */
function ClassText({ text, names }: TextProps) {
  return (
    <MentionProvider view={{ personas: names, me: null, staff: null }}>
      <MessageText text={text} tabIndex={0} />
    </MentionProvider>
  );
}

/** A reported text as the class saw it, and if marks can hide something, as its author typed it. */
function EvidenceText({ text, names }: TextProps) {
  useStore(markupParser);
  if (text === '') return null;
  return (
    <div className={styles.evidence}>
      <div dir="auto">
        <ClassText text={text} names={names} />
      </div>
      {hasMarkup(text) && (
        <details>
          <summary className={styles.meta}>{getText('moderation.context.asTyped')}</summary>
          <p dir="auto">{replaceMentionsWithNames(text, names)}</p>
        </details>
      )}
    </div>
  );
}

function Person({ persona }: { persona: Persona }) {
  return (
    <p className="wrap">
      <PersonaIcon seed={persona.icon} size={24} />
      <PersonaName persona={persona} />
      <PersonaKind persona={persona} />
    </p>
  );
}
