/// <reference types="vite/client" />
import 'react';

declare module 'react' {
  interface CSSProperties {
    [property: `--${string}`]: string | number | undefined;
  }
}

declare global {
  /** Chromium and Safari. TypeScript does not know it. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(text: string): string },
        ): { createScriptURL(text: string): string };
      }
    | undefined;
}
