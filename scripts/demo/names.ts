/** What students of the demo call themselves, where they do not stay 'Anonymous'. */
export const demoNames = [
  ...['Quiet Heron', 'Second Row', 'null pointer', 'Kestrel', 'Late Again', 'Marginalia'],
  ...['Búho', 'Off By One', 'Pencil', 'Night Library', 'Juniper', 'Half Past'],
];
