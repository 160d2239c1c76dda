/** @returns false if the clipboard is forbidden or missing, as on plain http away from localhost */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
