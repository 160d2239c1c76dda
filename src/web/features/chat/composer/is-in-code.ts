/** Whether the position is inside a code fence or inline code. */
export function isInCode(text: string, at: number): boolean {
  const lines = text.slice(0, at).split('\n');
  const line = lines.pop() ?? '';
  const fences = lines.filter((one) => /^ {0,3}```/.test(one)).length;
  return fences % 2 === 1 || (line.split('`').length - 1) % 2 === 1;
}
