import { ensureWebBuilt } from '#server/web-build.ts';

await ensureWebBuilt(() => console.log('  Building the web app …'));
