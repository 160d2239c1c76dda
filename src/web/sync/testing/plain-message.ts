import type { Message } from '#contract/entities.ts';

/** A message with nothing but a text, for tests. */
export const plainMessage: Message = {
  id: 'message',
  seq: 1,
  memberId: 'ben',
  text: 'Hello',
  imageUrl: null,
  storagePath: null,
  images: [],
  createdAt: 0,
  editedAt: null,
  replyTo: null,
  quote: null,
  reactions: {},
  moderation: null,
};
