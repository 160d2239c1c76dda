// Where the layout changes. Stylesheets use these queries by name, such as `@media (--narrow)`: see vite.config.ts.
import { narrowWidth } from '#contract/limits.ts';

/** The window fits one pane. */
export const narrow = `(width < ${narrowWidth}px)`;

/** A phone held upright: there is no space for what is not needed. */
export const slim = '(width < 480px)';

/** A panel covers the room. */
export const coveringPanel = '(width < 1100px)';
