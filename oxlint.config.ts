// One place for the lint rules; `tests/lint/direction.test.ts` plants an import against each direction between areas.
// Who imports whom inside an area: tests/project/server-modules.test.ts and web-modules.test.ts.
import { defineConfig, type OxlintConfig } from 'oxlint';

/** One entry of `no-restricted-imports`. */
interface Restriction {
  regex?: string;
  group?: string[];
  importNames?: string[];
  allowTypeImports?: boolean;
  message: string;
}

// Who may import whom. When several overrides match a file, the last one replaces the others' value of a
// rule, so each override lists everything that holds for its files.
const noServer: Restriction = {
  regex: '^(#|(\\.\\./)+(src/)?)server/',
  message: 'The web knows the server only through the contract.',
};
const noWeb: Restriction = {
  regex: '^(#|(\\.\\./)+(src/)?)web/',
  message: 'The server does not know the web.',
};
const contractByAlias: Restriction = {
  regex: '^(\\.\\./)+(src/)?contract/',
  message: 'Write it as #contract/...',
};
const noEnvironment: Restriction = {
  regex: '^(node:)?process$',
  message: 'Use the global: lint checks which files read its env.',
};
const schemaTypesOnly: Restriction = {
  // All that import zod, and the sentences that only the server says.
  regex:
    '^#contract/(account|account-support|announcements|call-fields|class-admin|class-search|classes|entities|errors|health|http|message-search|moderation|notifications|pictures|preferences|roles|sign-on|socket|transparency|unmasking|web-app)\\.ts$',
  allowTypeImports: true,
  message: 'It would bring zod or many sentences into the bundle: import its types only.',
};
const noValidator: Restriction = {
  group: ['zod', 'zod/**', 'node:*'],
  allowTypeImports: true,
  message: "The browser's bundle has no validator and no Node.",
};
const ownLinks: Restriction = {
  regex: '^react-router$',
  importNames: ['BrowserRouter', 'Form', 'Link', 'NavLink', 'ScrollRestoration', 'useSearchParams'],
  message: 'It would add 4 kB to every screen: ui/navigation.tsx has its own.',
};
const allowOnly = (patterns: string[], message: string): Restriction => ({
  group: ['**', ...patterns.map((pattern) => `!${pattern}`)],
  message,
});
const server = [noWeb, contractByAlias, noEnvironment];
const web = [noServer, contractByAlias, schemaTypesOnly, noValidator, ownLinks];

const restrictImports = (...patterns: Restriction[]): OxlintConfig['rules'] => ({
  'no-restricted-imports': ['error', { patterns }],
});
/** Restricts the imports of a folder, except in its tests. */
const restrictFolder = (folder: string, ...patterns: Restriction[]) => ({
  files: [`${folder}/**`],
  excludeFiles: ['**/*.test.ts'],
  rules: restrictImports(...patterns),
});

const limitLength = (max: number | null): OxlintConfig['rules'] => ({
  'max-lines-per-function':
    max === null ? 'off' : ['error', { max, skipBlankLines: true, skipComments: true }],
});

export default defineConfig({
  plugins: [
    'eslint',
    'typescript',
    'unicorn',
    'oxc',
    'import',
    'promise',
    'node',
    'react',
    'jsx-a11y',
    'vitest',
  ],
  options: { denyWarnings: true, typeAware: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['node_modules', '/dist', '/data', '/test-results'],
  rules: {
    eqeqeq: 'error',
    'no-console': 'error',
    'no-else-return': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-param-reassign': 'error',
    curly: ['error', 'multi-line'],
    'no-nested-ternary': 'error',
    'no-self-compare': 'error',
    'no-throw-literal': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-promise-reject-errors': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'node/no-path-concat': 'error',
    'oxc/no-barrel-file': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'unicorn/prefer-node-protocol': 'error',
    'unicorn/throw-new-error': 'error',
    'react/jsx-no-target-blank': 'error',
    'react/jsx-no-useless-fragment': 'error',
    'react/no-danger': 'error',
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-conditional-expect': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'promise/always-return': 'off',
    'vitest/expect-expect': [
      'error',
      { assertFunctionNames: ['expect', 'fc.assert', 'expectStartRefused'] },
    ],
    'vitest/no-identical-title': 'error',

    // CSS, fonts and polyfills are imported for their effect.
    'import/no-unassigned-import': 'off',
    // Packages in CommonJS (pg, better-sqlite3) have no other way in.
    'import/no-named-as-default-member': 'off',
    // The JSX runtime imports what it needs.
    'react/react-in-jsx-scope': 'off',
    // A dialog that opens does take the focus.
    'jsx-a11y/no-autofocus': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    // It sees neither what an await changes nor a loop that changes the set it walks over.
    'no-unmodified-loop-condition': 'off',
    'unicorn/no-useless-spread': 'off',
    // It takes a BroadcastChannel for a window.
    'unicorn/require-post-message-target-origin': 'off',
    'unicorn/consistent-function-scoping': 'off',
    // What JSON.parse or a socket gives is asserted once, where it comes in; objects of functions
    // have no this; the compiler watches returns.
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/unbound-method': 'off',
    'typescript/consistent-return': 'off',
    // Sockets and mail give Buffers under wider types.
    'typescript/no-base-to-string': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
  },
  overrides: [
    restrictFolder(
      'src/contract',
      { regex: '^\\./.*\\.\\./', message: 'Write it as #contract/...' },
      allowOnly(
        ['./**', '#contract/**', '#texts/**', 'zod'],
        'The contract knows only itself, the texts and zod.',
      ),
    ),
    {
      files: ['src/server/**'],
      rules: {
        'no-restricted-properties': [
          'error',
          {
            object: 'process',
            property: 'env',
            message: 'Only src/server/config/config.ts reads it.',
          },
        ],
        ...restrictImports(...server),
      },
    },
    // tests/project/server-modules.test.ts checks who imports whom on the server.
    restrictFolder(
      'src/server/chat',
      ...server,
      allowOnly(
        [
          ...['./**', '#contract/**', '#server/**'],
          ...['kysely', 'node:crypto', 'node:timers/promises'],
          // unhomoglyph is Unicode's table of letters that look alike.
          'unhomoglyph',
        ],
        'The rules of the chat know neither sockets, requests nor files.',
      ),
    ),
    {
      files: ['src/server/config/config.ts'],
      rules: { 'no-restricted-properties': 'off' },
    },
    {
      files: ['src/server/main.ts', 'scripts/**', 'tests/**', 'bench/**'],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['scripts/**', 'tests/**', 'bench/**', '**/*.test.ts', '**/*.test.tsx'],
      rules: { 'typescript/no-non-null-assertion': 'off' },
    },
    // tests/project/web-modules.test.ts checks who imports whom in the web.
    {
      files: ['src/web/**'],
      rules: {
        'no-console': ['error', { allow: ['warn', 'error'] }],
        ...restrictImports(...web),
      },
    },
    {
      files: ['src/web/sync/**'],
      rules: restrictImports(...web, {
        group: ['react', 'react/**', 'react-*', 'react-*/**', '@tanstack/**', 'virtua'],
        message: 'Sync knows no React.',
      }),
    },
    {
      files: ['src/web/markup/**'],
      rules: restrictImports(...web, {
        group: ['react', 'react/**', 'react-*', 'react-*/**'],
        message: 'Markup knows no React: features/chat/text renders it.',
      }),
    },
    { files: ['src/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], rules: limitLength(80) },
    { files: ['src/**/*.tsx'], rules: limitLength(150) },
    { files: ['**/*.test.ts', '**/*.test.tsx'], rules: limitLength(null) },
    {
      // Their tools load a default export.
      files: ['*.config.ts', 'scripts/{playwright,vitest}-counts.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
});
