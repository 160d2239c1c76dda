// The calls of reports from outside: anyone reports, and operators decide.
import { chooseLanguage } from '#server/http/choose-language.ts';
import type { Route } from '#server/http/route.ts';
import {
  decideOutsideReport,
  listOutsideReports,
  receiveOutsideReport,
  type OutsideServer,
} from './outside-reports.ts';

export function registerOutsideReportRoutes(route: Route, server: OutsideServer): void {
  const { config, limiter } = server;

  route('reportFromOutside', async ({ body, request }) => {
    const language = chooseLanguage(request.headers, config.languages);
    await receiveOutsideReport(server, { ...body, language });
    return {};
  });

  route('listOutsideReports', async () => ({ outsideReports: await listOutsideReports(server) }));

  route('decideOutsideReport', async ({ commits, params: { reportId }, body }) => {
    const mailKey = await commits.write(
      (unitOfWork, staffName) =>
        decideOutsideReport(unitOfWork, { ...body, reportId }, staffName, server),
      'independent',
    );
    if (mailKey !== null) limiter.countUnchecked('outsideMails', mailKey, 1);
    return {};
  });
}
