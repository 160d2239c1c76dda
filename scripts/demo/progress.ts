/** Reports the progress of a task that takes minutes. */
export interface Progress {
  advance(): void;
  end(): void;
}

const linesPerTask = 5;

/** Prints the progress. On a terminal, it updates one line. In a file, it writes a line for each fifth of the task. */
export function createProgress(task: string, total: number, output = process.stdout): Progress {
  let count = 0;
  const formatLine = () => `  ${task}: ${count} of ${total}`;
  const report = () => {
    if (output.isTTY) output.write(`\r${formatLine()}`);
    else if (count % Math.ceil(total / linesPerTask) === 0 || count === total) {
      output.write(`${formatLine()}\n`);
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
