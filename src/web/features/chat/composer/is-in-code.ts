/** Whether the position is inside a code fence or inline code. */
export function isInCode(text: string, position: number): boolean {
  const lines = text.slice(0, position).split('\n');
  const line = lines.pop() ?? '';
  let isInBlock = false;
  for (const previousLine of lines) {
    // A fence at the end of a line ends the code, too.
    const fence = isInBlock ? /`{3,}[.,;:!?)]*\s*$/ : /^ {0,3}`{3,}[^`]*$/;
    if (fence.test(previousLine)) isInBlock = !isInBlock;
  }
  return isInBlock || (line.split('`').length - 1) % 2 === 1;
}
