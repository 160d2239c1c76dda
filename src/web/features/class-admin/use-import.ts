// The state of an import of classes: the file and its columns, then a dry run and the import.
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ImportedLine } from '#contract/class-admin.ts';
import type { SemesterSeason } from '#contract/class-fields.ts';
import {
  type ColumnMapping,
  decodeCsv,
  guessColumns,
  listMissingColumns,
  parseLine,
  type ReadLine,
  rejectRepeated,
} from '#contract/class-csv.ts';
import { limits } from '#contract/limits.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';

const maxBytes = 5_000_000;

export interface CsvFile {
  name: string;
  headers: string[];
  /** The rows below the header. */
  cells: string[][];
}

export type Outcomes = ReadonlyMap<number, ImportedLine>;

/** What the operator chooses for the file. Season and year are for all lines, if no column has them. */
export interface Choices {
  columns: ColumnMapping;
  season: SemesterSeason | '';
  year: string;
}

/** What happens with the lines: first a dry run, then the import. Both can stop at an error and continue. */
export interface Run {
  isImport: boolean;
  lines: ReadLine[];
  planned: Outcomes;
  imported: Outcomes;
  isRunning: boolean;
}

/** Tells whether a row is not blank: a file usually ends with a blank line, which is skipped. */
export const hasContent = (cells: readonly string[]) => cells.some((cell) => cell.trim());

export const isChange = (importedLine: ImportedLine | undefined) =>
  importedLine?.outcome === 'new' || importedLine?.outcome === 'changed';

async function loadCsv(file: File): Promise<CsvFile> {
  const [{ default: Papa }, bytes] = await Promise.all([import('papaparse'), file.arrayBuffer()]);
  const text = decodeCsv(new Uint8Array(bytes), TextDecoder);
  const [headers = [], ...cells] = Papa.parse<string[]>(text).data;
  return { name: file.name, headers, cells };
}

/** Lists the lines that are to be sent and have no result yet. */
function listPendingLines({ isImport, lines, planned }: Run, results: Outcomes) {
  return lines.flatMap(({ line, fields }) => {
    const isDone = results.has(line);
    const isNeeded = !isImport || isChange(planned.get(line));
    return fields && isNeeded && !isDone ? [{ line, fields }] : [];
  });
}

const noChoices: Choices = { columns: guessColumns([]), season: '', year: '' };

export function useImport() {
  const [file, setFile] = useState<CsvFile | null>(null);
  const [choices, setChoices] = useState<Choices>(noChoices);
  const [run, setRun] = useState<Run | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const client = useQueryClient();
  /** A new choice of file or columns starts a new number, so that replies to earlier calls are ignored. */
  const currentRunNumber = useRef(0);

  const restart = () => {
    currentRunNumber.current += 1;
    setRun(null);
    setProblem(null);
  };

  const choose = async (newFile: File | undefined) => {
    restart();
    setFile(null);
    if (!newFile) return;
    if (newFile.size > maxBytes) return setProblem('The file is larger than 5 MB.');
    const csvFile = await loadCsv(newFile);
    if (csvFile.headers.length < 2 || csvFile.cells.length === 0) {
      return setProblem('The file has no table. It needs a header line and a line for each class.');
    }
    setFile(csvFile);
    setChoices((old) => ({ ...old, columns: guessColumns(csvFile.headers) }));
  };

  /** Sends the lines that have no result yet, in batches. */
  const sendLines = async (startedRun: Run) => {
    const runNumber = currentRunNumber.current;
    let state: Run = { ...startedRun, isRunning: true };
    const update = (part: Partial<Run>) => {
      state = { ...state, ...part };
      if (currentRunNumber.current === runNumber) setRun(state);
    };
    update({});
    setProblem(null);
    const results = new Map(state.isImport ? state.imported : state.planned);
    const pendingLines = listPendingLines(state, results);
    try {
      for (let offset = 0; offset < pendingLines.length; offset += limits.classBatch) {
        if (currentRunNumber.current !== runNumber) return;
        const lines = pendingLines.slice(offset, offset + limits.classBatch);
        const reply = await call('importClasses', { body: { apply: state.isImport, lines } });
        for (const importedLine of reply.lines) results.set(importedLine.line, importedLine);
        update(state.isImport ? { imported: new Map(results) } : { planned: new Map(results) });
      }
    } catch (error) {
      if (currentRunNumber.current === runNumber) setProblem(toErrorMessage(error));
    } finally {
      update({ isRunning: false });
      if (state.isImport) void client.invalidateQueries({ queryKey: [...adminKey, 'classes'] });
    }
  };

  const check = () => {
    restart();
    const firstLines = new Map<string, number>();
    const { columns, season, year } = choices;
    const defaults = { season, year: /^\d{4}$/.test(year.trim()) ? Number(year) : null };
    const missingColumns = listMissingColumns(columns, defaults);
    if (missingColumns.length > 0) {
      return setProblem(`Choose a column for ${missingColumns.join(', ')}.`);
    }
    const lines = (file?.cells ?? []).flatMap((cells, index): ReadLine[] =>
      hasContent(cells)
        ? [rejectRepeated(parseLine(index + 2, cells, columns, defaults), firstLines)]
        : [],
    );
    const noLines = new Map<number, ImportedLine>();
    void sendLines({
      isImport: false,
      lines,
      planned: noLines,
      imported: noLines,
      isRunning: true,
    });
  };

  /** Changes a choice and drops the results, which no longer hold. */
  const change = (part: Partial<Choices>) => {
    restart();
    setChoices({ ...choices, ...part });
  };

  return { file, choices, run, problem, choose, change, check, sendLines };
}
