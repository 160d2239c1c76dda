/** @param contact an email address, or the URL of a page, as SUPPORT_CONTACT has it */
export function toContactUrl(contact: string): string {
  return contact.includes('://') ? contact : `mailto:${contact}`;
}
