// The commands of LaTeX's siunitx, as macros of Temml. Numbers are shown as they are typed.

/** Each name of a unit or prefix with its sign. */
const signs =
  `meter m metre m second s gram g kilogram kg ampere A kelvin K mole mol candela cd hertz Hz newton N pascal Pa joule J
  watt W coulomb C volt V farad F ohm \\Omega siemens S weber Wb tesla T henry H lumen lm lux lx becquerel Bq gray Gy
  sievert Sv radian rad minute min hour h day d liter L litre L tonne t electronvolt eV percent \\% celsius {{}^\\circ}C
  degreeCelsius {{}^\\circ}C femto f pico p nano n micro \\text{µ} milli m centi c deci d hecto h kilo k mega M giga G
  tera T per / squared ^2 cubed ^3`.split(/\s+/);

export const unitMacros: Readonly<Record<string, string>> = {
  '\\num': '\\mathrm{#1}',
  '\\ang': '\\mathrm{#1}^{\\circ}',
  '\\unit': '\\mathrm{#1}',
  '\\si': '\\mathrm{#1}',
  '\\qty': '\\mathrm{#1}\\,\\mathrm{#2}',
  '\\SI': '\\mathrm{#1}\\,\\mathrm{#2}',
  ...Object.fromEntries(
    signs.flatMap((name, n) => (n % 2 === 0 ? [[`\\${name}`, signs[n + 1] ?? '']] : [])),
  ),
};
