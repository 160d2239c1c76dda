/** Reports how far a task of minutes is. */
export interface Progress {
  advance(): void;
  end(): void;
}

const linesPerTask = 5;

/** On a terminal: one line that counts. In a file: a line for each fifth of the task. */
export function createProgress(task: string, total: number, output = process.stdout): Progress {
  let count = 0;
  const line = () => `  ${task}: ${count} of ${total}`;
  const report = () => {
    if (output.isTTY) output.write(`\r${line()}`);
    else if (count % Math.ceil(total / linesPerTask) === 0 || count === total) {
      output.write(`${line()}\n`);
    }
  };
  report();
  return {
    advance() {
      count += 1;
      report();
    },
    end() {
      if (output.isTTY) output.write('\n');
    },
  };
}
