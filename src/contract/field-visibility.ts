// Who can see each field that leaves the server. The /privacy page is generated from this table. Tests
// compare the table with the schemas of http.ts and socket.ts and with real replies.

/** Each audience sees everything that the audiences before it see. `you` is the account itself. */
export type Audience = 'everybody' | 'signedIn' | 'members' | 'you';

export interface FieldVisibility {
  who: Audience;
  /**
   * Completes the sentence 'Your classmates see ...'. Null if the fields say nothing about a person.
   */
  what: string | null;
  /** Field names in replies and frames, and frame types ('frame typing'). */
  fields: readonly string[];
}

export const fieldVisibilities: readonly FieldVisibility[] = [
  {
    who: 'members',
    what: 'what you write in the class, and when you wrote or edited it',
    fields: ['messages', 'text', 'createdAt', 'editedAt', 'frame events', 'frame snapshot'],
  },
  {
    who: 'members',
    what: 'pictures you send (location and camera data removed) and your descriptions of them',
    fields: [
      ...['imageUrl', 'storagePath', 'image', 'width', 'height', 'thumbUrl', 'placeholder'],
      ...['animated', 'alt'],
    ],
  },
  { who: 'members', what: 'which message you reply to', fields: ['replyTo'] },
  { who: 'members', what: 'your reactions', fields: ['reactions', 'emoji'] },
  {
    who: 'members',
    what: 'your anonymous name and icon in that class, once you have posted, reacted or picked them',
    fields: ['personas', 'persona', 'anonymousName', 'icon'],
  },
  {
    who: 'members',
    what: 'a random ID linking your activity within that class only',
    fields: ['memberId'],
  },
  {
    who: 'members',
    what: 'that someone is typing, but not who',
    fields: ['frame typing'],
  },
  {
    who: 'signedIn',
    what: 'every class, whether it has ended, and how many people are in it, but no list of who they are',
    fields: [
      ...['class', 'classId', 'objectID', 'name', 'courseName', 'subjectAbbreviation'],
      ...['courseNumber', 'sectionNumber', 'semesterSeason', 'classSchedule'],
      ...['beginClassTime', 'endClassTime', 'memberCount', 'ended'],
    ],
  },
  {
    who: 'you',
    what: 'the kinds of devices you are signed in on, and the day of each sign-in',
    fields: ['devices', 'deviceId', 'signedInDay', 'current'],
  },
  { who: 'you', what: 'your email address', fields: ['account', 'email', 'key', 'frame welcome'] },
  {
    who: 'you',
    what: 'which classes you are in, and how far you have read',
    fields: [
      'classes',
      'joined',
      'joinedDay',
      'createdDay',
      'label',
      'me',
      'readSeq',
      'frame enrolment',
      'frame reset',
    ],
  },
  {
    who: 'you',
    what: 'what you search for',
    fields: ['query', 'params', 'applicationId'],
  },
  {
    who: 'everybody',
    what: null,
    fields: [
      // The structure of a reply or a frame.
      ...['type', 'rid', 'kind', 'code', 'message', 'reason', 'retryAfterMs', 'verify'],
      ...['frame live', 'frame ack', 'frame nack', 'frame bye', 'maxFrameBytes'],
      // Positions in a log or in a list of hits.
      ...['id', 'messageId', 'seq', 'from', 'to', 'lastId', 'items', 'epoch', 'hasOlder'],
      ...['results', 'index', 'hits', 'nbHits', 'page', 'nbPages', 'hitsPerPage'],
      ...['exhaustiveNbHits', 'processingTimeMS', 'exhaustiveTypo', 'exhaustiveFacetsCount'],
      ...['exhaustive', 'typo', 'facetsCount', 'facets', 'facetHits', 'highlighted', 'count'],
      ...['_highlightResult', 'value', 'matchLevel', 'matchedWords', 'fullyHighlighted'],
      // Results of the account's own upload or deletion.
      ...['imageId', 'imageLeft'],
    ],
  },
];

/** Returns the texts for this audience, in order. */
export function visibleTo(audience: Audience): string[] {
  return fieldVisibilities.flatMap(({ who, what }) =>
    who === audience && what !== null ? [what] : [],
  );
}
