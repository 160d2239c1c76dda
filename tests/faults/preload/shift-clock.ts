// Runs in the server process: shifts its clock by FAULT_SHIFT_MS. With FAULT_SHIFT_AT, the signal of that name shifts it.
const wantedShift = Number(process.env['FAULT_SHIFT_MS']);
const signal = process.env['FAULT_SHIFT_AT'];
let shift = signal === undefined ? wantedShift : 0;
if (signal !== undefined) process.on(signal, () => (shift = wantedShift));
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...(args as [number]));
  }
  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
