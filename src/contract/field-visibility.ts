// Who sees each field that leaves the server. /privacy is made from this table, and tests hold it to
// the schemas of http.ts and socket.ts, and to what a stranger and a visitor really get.

/** Each sees what those before it see: everybody, who is signed in, the members of the class; and one oneself. */
export type Audience = 'everybody' | 'signedIn' | 'members' | 'you';

export interface FieldVisibility {
  who: Audience;
  /** For people, as the end of 'Your classmates see ...'; null where it tells of nobody. */
  what: string | null;
  /** Names of fields in replies and frames, and types of frames ('frame typing'). */
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
      // How an answer or a frame is to be understood.
      ...['type', 'rid', 'kind', 'code', 'message', 'reason', 'retryAfterMs', 'verify'],
      ...['frame live', 'frame ack', 'frame nack', 'frame bye', 'maxFrameBytes'],
      // Where something stands in a log, or in a list of hits.
      ...['id', 'messageId', 'seq', 'from', 'to', 'lastId', 'items', 'epoch', 'hasOlder'],
      ...['results', 'index', 'hits', 'nbHits', 'page', 'nbPages', 'hitsPerPage'],
      ...['exhaustiveNbHits', 'processingTimeMS', 'exhaustiveTypo', 'exhaustiveFacetsCount'],
      ...['exhaustive', 'typo', 'facetsCount', 'facets', 'facetHits', 'highlighted', 'count'],
      ...['_highlightResult', 'value', 'matchLevel', 'matchedWords', 'fullyHighlighted'],
      // Of one's own upload or deletion.
      ...['imageId', 'imageLeft'],
    ],
  },
];

/** What is to be told to people of this audience, in order. */
export function visibleTo(audience: Audience): string[] {
  return fieldVisibilities.flatMap(({ who, what }) =>
    who === audience && what !== null ? [what] : [],
  );
}
