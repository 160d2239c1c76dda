// Puts the class names of CSS modules where components use them. Each module would otherwise have a table with all of its
// names.
import type { Plugin } from 'vite';

const styleImport = /import (\w+) from (["'][^"']+\.module\.css["'])/g;

export function inlineClassNames(): Plugin[] {
  return [
    {
      name: 'inline-class-names',
      apply: 'build',
      transform: {
        filter: { id: /\/src\/web\/.*\.tsx?$/, code: '.module.css' },
        // The bundler inlines named exports. A component that chooses a class by a variable keeps the table.
        handler: (code) =>
          code.replace(styleImport, (statement, name: string, file: string) =>
            code.includes(`${name}[`) ? statement : `import * as ${name} from ${file}`,
          ),
      },
    },
    {
      // After Vite's own plugin, which drops the styles of a module whose names are all inlined.
      name: 'keep-styles',
      apply: 'build',
      enforce: 'post',
      transform: {
        filter: { id: /\.module\.css$/ },
        handler: (code) => ({ code, moduleSideEffects: 'no-treeshake' }),
      },
    },
  ];
}
