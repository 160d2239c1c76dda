/** @returns false where there is no clipboard: on plain http away from localhost, or forbidden */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
