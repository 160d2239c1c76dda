import { createPreloadedModule } from '#web/lazy-module.ts';

/** Loads if a class has topics. */
export const topicCode = createPreloadedModule(() => import('./topic-log.ts'));
