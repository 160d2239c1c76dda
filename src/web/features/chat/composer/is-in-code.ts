/** Whether the position is inside a code fence or inline code. */
export function isInCode(text: string, position: number): boolean {
  const lines = text.slice(0, position).split('\n');
  const line = lines.pop() ?? '';
  const fences = lines.filter((previousLine) => /^ {0,3}```/.test(previousLine)).length;
  return fences % 2 === 1 || (line.split('`').length - 1) % 2 === 1;
}
