// What the app itself calls.
import { z } from 'zod';
import { emptySchema } from './call-fields.ts';
import { schoolThemeSchema } from './entities.ts';

export const webAppCalls = {
  countInterfaceError: {
    route: 'POST /api/interface-errors',
    who: 'anyone',
    limit: 'interfaceErrors',
    reply: emptySchema,
  },
  schoolTheme: {
    route: 'GET /api/school-themes/:key',
    who: 'anyone',
    params: z.strictObject({ key: z.string().regex(/^[a-z0-9-]{1,63}$/i) }),
    reply: schoolThemeSchema,
  },
} as const;
