// The state of an import of classes: the file and its columns, then a dry run and the import.
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ImportedLine } from '#contract/class-admin.ts';
import type { SemesterSeason } from '#contract/class-fields.ts';
import {
  type ColumnMapping,
  type CsvTable,
  guessColumns,
  listMissingColumns,
  parseCsv,
  type ReadFile,
  parseRows,
  toCsvTable,
} from '#contract/class-csv.ts';
import { limits } from '#contract/limits.ts';
import { type OneRosterFile, oneRosterFiles, toRegistrarRows } from '#contract/one-roster.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { refreshCalls } from '#web/data/use-call.ts';
import { formatList } from '#web/format.ts';
import { getText } from '#web/get-text.ts';

const maxBytes = 5_000_000;

export interface CsvFile extends CsvTable {
  name: string;
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
  lines: ReadFile['lines'];
  furtherMeetingCount: number;
  planned: Outcomes;
  imported: Outcomes;
  isRunning: boolean;
}

const isChange = (importedLine: ImportedLine | undefined) =>
  importedLine?.outcome === 'new' || importedLine?.outcome === 'changed';

async function loadTable(file: File): Promise<string[][]> {
  const [{ default: Papa }, bytes] = await Promise.all([import('papaparse'), file.arrayBuffer()]);
  return parseCsv(new Uint8Array(bytes), TextDecoder, Papa.parse<string[]>);
}

/** @returns null if some files of a OneRoster export are missing */
async function loadFiles(files: readonly File[]): Promise<CsvFile | null> {
  const [firstFile] = files;
  if (files.length === 1 && firstFile) return toCsvFile(firstFile.name, await loadTable(firstFile));
  const tables: Partial<Record<OneRosterFile, string[][]>> = {};
  for (const name of oneRosterFiles) {
    const file = files.find((chosenFile) => chosenFile.name === name);
    if (!file) return null;
    tables[name] = await loadTable(file);
  }
  const rows = toRegistrarRows(tables as Record<OneRosterFile, string[][]>);
  return toCsvFile('classes.csv', rows);
}

const toCsvFile = (name: string, rows: string[][]): CsvFile => ({ name, ...toCsvTable(rows) });

/** Lists the lines that are to be sent and have no result yet. */
function listPendingLines({ isImport, lines, planned }: Run, results: Outcomes) {
  return lines.flatMap(({ line, fields }) => {
    const isDone = results.has(line);
    const isNeeded = !isImport || isChange(planned.get(line));
    return fields && isNeeded && !isDone ? [{ line, fields }] : [];
  });
}

const noLines: Outcomes = new Map();
const noChoices: Choices = { columns: guessColumns([]), season: '', year: '' };

export function useImport() {
  const [file, setFile] = useState<CsvFile | null>(null);
  const [choices, setChoices] = useState<Choices>(noChoices);
  const [run, setRun] = useState<Run | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const client = useQueryClient();
  /** A new choice of file or columns starts a new number, so that replies to earlier calls are ignored. */
  const currentRunNumber = useRef(0);

  /** @returns the new number */
  const restart = () => {
    setRun(null);
    setProblem(null);
    return ++currentRunNumber.current;
  };

  const choose = async (files: readonly File[]) => {
    const runNumber = restart();
    setFile(null);
    if (files.length === 0) return;
    if (files.some(({ size }) => size > maxBytes)) {
      return setProblem(getText('classAdmin.import.tooLarge'));
    }
    const csvFile = await loadFiles(files);
    if (currentRunNumber.current !== runNumber) return;
    if (!csvFile) return setProblem(getText('classAdmin.import.missingFiles'));
    if (csvFile.headers.length < 2 || csvFile.cells.length === 0) {
      return setProblem(getText('classAdmin.import.noTable'));
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
      for (let offset = 0; offset < pendingLines.length; offset += limits.importBatch) {
        if (currentRunNumber.current !== runNumber) return;
        const lines = pendingLines.slice(offset, offset + limits.importBatch);
        const reply = await call('importClasses', { body: { apply: state.isImport, lines } });
        for (const importedLine of reply.lines) results.set(importedLine.line, importedLine);
        update(state.isImport ? { imported: new Map(results) } : { planned: new Map(results) });
      }
    } catch (error) {
      if (currentRunNumber.current === runNumber) setProblem(toErrorMessage(error));
    } finally {
      update({ isRunning: false });
      if (state.isImport) void refreshCalls(client, ['listAllClasses']);
    }
  };

  const check = () => {
    if (!file) return;
    restart();
    const { columns, season, year } = choices;
    const defaults = { season, year: /^\d{4}$/.test(year.trim()) ? Number(year) : null };
    const missingColumns = listMissingColumns(columns, defaults);
    if (missingColumns.length > 0) {
      const titles = formatList(missingColumns);
      return setProblem(getText('classAdmin.import.missingColumns', { columns: titles }));
    }
    const { lines, furtherMeetingCount } = parseRows(file, columns, defaults);
    void sendLines({
      isImport: false,
      lines,
      furtherMeetingCount,
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
