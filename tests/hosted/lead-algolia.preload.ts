// Loaded into the server process before any other module.
import { redirectAlgoliaTo } from './lead-algolia.ts';

redirectAlgoliaTo(Number(process.env['ALGOLIA_EDGE_PORT']));
