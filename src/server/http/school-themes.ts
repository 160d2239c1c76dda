import type { SchoolThemes } from '../storage/school-themes.ts';
import type { Route } from './route.ts';

export function schoolThemeRoutes(route: Route, themes: SchoolThemes): void {
  route('schoolTheme', 'public', async ({ params }) => themes.themeFor(params.key));
}
