/** Persona names of the demo's students. Some students keep 'Anonymous' instead. */
export const demoNames = [
  ...['Quiet Heron', 'Second Row', 'null pointer', 'Kestrel', 'Late Again', 'Marginalia'],
  ...['Búho', 'Off By One', 'Pencil', 'Night Library', 'Juniper', 'Half Past'],
];
